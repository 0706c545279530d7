// expect: tma::Tile: one index for each dimension of the tile, slowest first
#include "common.hpp"

__global__ void kernel(float* out) {
  const Tile& tile = tma::shared<Shared>().tile;
#ifndef FIXED
  *out = tile(1);
#else
  *out = tile(0, 1);
#endif
}
