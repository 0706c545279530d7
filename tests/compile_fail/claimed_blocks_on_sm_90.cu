// expect: tma: clusterlaunchcontrol needs sm_100 or newer; this compiles for sm_90a
#include "common.hpp"
#include <tma/pipeline/atomic_tiles.hpp>
#include <tma/pipeline/claimed_blocks.hpp>

__global__ void kernel(int count, unsigned* counter, int* out) {
#ifndef FIXED
  tma::ClaimedBlocks<> tiles(tma::shared<tma::ClaimedBlocks<>::Shared>());
#else
  tma::AtomicTiles tiles(count, counter);
#endif
  if (threadIdx.x == 0)
    while (auto tile = tiles.next()) out[tile.index()] = 1;
}
