// expect: tma: this count or index must be a 32-bit number; a 64-bit one (size_t, long) would be cut
#include "common.hpp"
#include <tma/pipeline/atomic_tiles.hpp>

__global__ void kernel(long count, unsigned* counter, int* out) {
#ifndef FIXED
  tma::AtomicTiles tiles(count, counter);
#else
  tma::AtomicTiles tiles(int(count), counter);
#endif
  for (int tile : tiles) out[tile] = 1;
}
