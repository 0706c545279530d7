// expect: tma: prefetches are in a header of their own: #include <tma/device/prefetch.hpp>

#include "common.hpp"

#ifdef FIXED
#  include <tma/device/prefetch.hpp>
#endif

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.prefetch(in, {0, 0});
#else
  if (auto issuer = block.elect()) issuer.prefetch(in, {0, 0});
#endif
}
