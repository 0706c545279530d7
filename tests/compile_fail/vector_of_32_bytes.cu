// expect: tma::Vec: a thread moves at most 16 bytes at once, and a power of two
#include "common.hpp"

__global__ void kernel(float* out) {
  const Tile& tile = tma::shared<Shared>().tile;
#ifndef FIXED
  *out = tile.vector<8>(1)[0];
#else
  *out = tile.vector<4>(2)[0];
#endif
}
