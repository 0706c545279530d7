// expect: tma::StoreGroup: stores belong to the elected thread: tma::StoreGroup stores(issuer)
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  auto ready            = block.publish(tile);
#ifndef FIXED
  tma::StoreGroup stores;
#else
  auto            issuer = block.elect();
  tma::StoreGroup stores(issuer);
#endif
  stores.store(out, {0, 0}, ready);
}
