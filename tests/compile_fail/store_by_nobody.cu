// expect: namespace "tma" has no member "store"
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  auto ready            = block.publish(tile);
#ifndef FIXED
  tma::store(out, {0, 0}, ready);
#else
  if (auto issuer = block.elect()) issuer.store(out, {0, 0}, ready);
#endif
}
