// expect: tma::Tile: one index for each dimension of the tile, slowest first
#include "common.hpp"

__global__ void kernel() {
  Tile& tile = tma::shared<Shared>().tile;
#ifndef FIXED
  tile(0, 1, 2) = 1;
#else
  tile(1, 2) = 1;
#endif
}
