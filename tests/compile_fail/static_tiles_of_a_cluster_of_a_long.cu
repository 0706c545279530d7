// expect: tma::StaticTiles: the count has 64 bits and would be cut
#include "common.hpp"
#include <tma/pipeline/static_tiles.hpp>

__global__ void kernel(long count, int* out) {
#ifndef FIXED
  for (auto tile : tma::StaticTiles<2>(count)) out[tile] = 1;
#else
  for (auto tile : tma::StaticTiles<2, long long>(count)) out[tile] = 1;
#endif
}
