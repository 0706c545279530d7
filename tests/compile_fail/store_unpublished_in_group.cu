// expect: tma: the tile is not published: the engine may read stale shared memory. Write auto ready = block.publish(tile)
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  auto            issuer = block.elect();
  tma::StoreGroup stores(issuer);
  stores.store(out, {0, 0}, tile);
#else
  auto            ready  = block.publish(tile);
  auto            issuer = block.elect();
  tma::StoreGroup stores(issuer);
  stores.store(out, {0, 0}, ready);
#endif
}
