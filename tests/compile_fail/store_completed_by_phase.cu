// expect: tma: a store does not complete on a barrier. Leave the last argument out
// expect: returns a StoreGroup, which has wait_source_free() and wait_visible()
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  auto ready            = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.store(out, {0, 0}, ready, arrived);
#else
  if (auto issuer = block.elect()) issuer.store(out, {0, 0}, ready);
#endif
}
