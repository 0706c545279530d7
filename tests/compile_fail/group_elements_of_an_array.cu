// expect: tma: elements() goes over a tma::Tile, a tma::Buffer or a tma::SharedSpan
#include "common.hpp"

__global__ void kernel() {
  __shared__ float array[256];
  auto             block = tma::this_block();
#ifndef FIXED
  for (auto& x : block.elements(array)) x = 0;
#else
  for (auto& x : block.elements(tma::SharedSpan<float>(array, 256))) x = 0;
#endif
}
