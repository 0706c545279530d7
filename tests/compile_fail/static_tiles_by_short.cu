// expect: tma::StaticTiles: tiles are counted by int or by long long
#include "common.hpp"
#include <tma/pipeline/static_tiles.hpp>

__global__ void kernel(short count, int* out) {
#ifndef FIXED
  for (auto tile : tma::StaticTiles<1, short>(count)) out[tile] = 1;
#else
  for (auto tile : tma::StaticTiles<1, int>(count)) out[tile] = 1;
#endif
}
