// expect: tma: this descriptor is of const elements: it can only be loaded from. Make one from a view of non-const
#include "common.hpp"

__global__ void kernel(const __grid_constant__ ConstMap in, const __grid_constant__ Map out) {
  auto& [tile, barrier]  = tma::shared<Shared>();
  auto [block, arrived]  = tma::this_block(barrier);
  auto            ready  = block.publish(tile);
  auto            issuer = block.elect();
  tma::StoreGroup stores(issuer);
#ifndef FIXED
  stores.store(in, {0, 0}, ready);
#else
  stores.store(out, {0, 0}, ready);
#endif
}
