// expect: tma: this count or index must be a 32-bit number; a 64-bit one (size_t, long) would be cut
#include "common.hpp"
#include <tma/pipeline/atomic_tiles.hpp>

using Tiles = tma::AtomicTiles<2>;

__global__ void kernel(long long count, unsigned* counter, int* out) {
  auto& room = tma::shared<Tiles::Shared>();
#ifndef FIXED
  Tiles tiles(count, counter, room);
#else
  Tiles tiles(int(count), counter, room);
#endif
  if (threadIdx.x == 0)
    for (int tile : tiles) out[tile] = 1;
}
