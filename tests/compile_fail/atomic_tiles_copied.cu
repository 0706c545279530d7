// expect: each_tile_is_asked_for_once__pass_them_by_reference
#include "common.hpp"
#include <tma/pipeline/atomic_tiles.hpp>

__global__ void kernel(int count, unsigned* counter, int* out) {
  tma::AtomicTiles tiles(count, counter);
#ifndef FIXED
  auto others = tiles;
#else
  auto& others = tiles;
#endif
  if (threadIdx.x == 0)
    for (int tile : others) out[tile] = 1;
}
