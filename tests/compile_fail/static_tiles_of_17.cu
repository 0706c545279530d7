// expect: tma::StaticTiles: a cluster has at most 8 blocks
#include "common.hpp"
#include <tma/pipeline/static_tiles.hpp>

__global__ void kernel(int count, int* out) {
#ifndef FIXED
  for (int tile : tma::StaticTiles<17>(count)) out[tile] = 1;
#else
  for (int tile : tma::StaticTiles<16>(count)) out[tile] = 1;
#endif
}
