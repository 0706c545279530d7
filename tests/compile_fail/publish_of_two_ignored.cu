// expect: ignoring return value from routine declared with "nodiscard" attribute
// flags: -Werror=all-warnings
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  block.publish(tile, tile);
#else
  auto [a, b] = block.publish(tile, tile);
  if (auto issuer = block.elect()) issuer.store(out, {0, 0}, a);
#endif
}
