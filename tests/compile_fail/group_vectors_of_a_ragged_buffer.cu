// expect: tma: vectors() goes over a tma::Tile or a tma::Buffer, whose elements are aligned
#include "common.hpp"

__global__ void kernel() {
  auto block = tma::this_block();
#ifndef FIXED
  auto& buffer = tma::shared<tma::RaggedBuffer<float, 256>>();
#else
  auto& buffer = tma::shared<tma::Buffer<float, 256>>();
#endif
  for (auto& v : block.vectors<4>(buffer)) v[0] = 0;
}
