// expect: tma::Tile: a swizzled tile is not an array; use tile(row, column) or tile[i]
#include <tma/tma.hpp>

using Tile = tma::Tile<float, tma::Shape<32, 32>, tma::Swizzle::bytes_128>;

__global__ void kernel(float* out) {
  const Tile& tile = tma::shared<Tile>();
#ifndef FIXED
  *out = tile.data()[33];
#else
  *out = tile[33];
#endif
}
