// expect: tma::shared: the object does not fit the 227 KiB of shared memory that a block can have. Use fewer stages
#include "common.hpp"

struct Tiles {
#ifndef FIXED
  Tile tile[57];
#else
  Tile tile[56];
#endif
};

__global__ void kernel(float* out) { *out = tma::shared<Tiles>().tile[55][0]; }
