// expect: tma: a store does not complete on a barrier. Leave the last argument out
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out) {
  auto& [tile, barrier]  = tma::shared<Shared>();
  auto [block, arrived]  = tma::this_block(barrier);
  auto            ready  = block.publish(tile);
  auto            issuer = block.elect();
  tma::StoreGroup stores(issuer);
#ifndef FIXED
  stores.store(out, {0, 0}, ready, arrived);
#else
  stores.store(out, {0, 0}, ready);
#endif
}
