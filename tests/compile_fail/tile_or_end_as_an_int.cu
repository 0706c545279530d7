// expect: no suitable conversion function from "tma::TileOrEnd" to "int" exists
#include "common.hpp"
#include <tma/pipeline/static_tiles.hpp>

__global__ void kernel(int count, int* out) {
  tma::StaticTiles tiles(count);
#ifndef FIXED
  int tile = tiles.next();
#else
  int tile = tiles.next().index();
#endif
  out[tile] = 1;
}
