// expect: tma: a prefetch has neither a place in shared memory nor a barrier
#include <tma/device/prefetch.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.prefetch(in, {0, 0}, tile);
#else
  if (auto issuer = block.elect()) issuer.prefetch(in, {0, 0});
#endif
}
