// expect: ignoring return value from routine declared with "nodiscard" attribute
// flags: -Werror=all-warnings
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  tma::as_loaded(tile);
#else
  if (auto issuer = block.elect()) issuer.store(out, {0, 0}, tma::as_loaded(tile));
#endif
}
