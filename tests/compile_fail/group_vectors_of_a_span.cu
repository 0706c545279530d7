// expect: tma: vectors() goes over a tma::Tile or a tma::Buffer, whose elements are aligned
#include "common.hpp"

__global__ void kernel() {
  __shared__ float array[256];
  auto             block = tma::this_block();
  auto             span  = tma::SharedSpan<float>(array, 256);
#ifndef FIXED
  for (auto& v : block.vectors<4>(span)) v[0] = 0;
#else
  for (auto& x : block.elements(span)) x = 0;
#endif
}
