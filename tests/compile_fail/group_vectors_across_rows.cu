// expect: tma: the tile holds a whole number of vectors
// expect: tma::Vec: a thread moves at most 16 bytes at once
#include <tma/tma.hpp>

using Tile = tma::Tile<float, tma::Shape<3, 4>>;

__global__ void kernel() {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
#ifndef FIXED
  for (auto& v : block.vectors<8>(tile)) v[0] = 0;
#else
  for (auto& v : block.vectors<4>(tile)) v[0] = 0;
#endif
}
