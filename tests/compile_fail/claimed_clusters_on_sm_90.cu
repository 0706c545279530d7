// expect: tma: clusterlaunchcontrol for a whole cluster needs a target of kind a or f from sm_100 on; this compiles for sm_90a
#include "common.hpp"
#include <tma/pipeline/atomic_tiles.hpp>
#include <tma/pipeline/claimed_blocks.hpp>

__global__ void kernel(int count, unsigned* counter, int* out) {
#ifndef FIXED
  tma::ClaimedBlocks<2> tiles(tma::shared<tma::ClaimedBlocks<2>::Shared>());
#else
  tma::AtomicTiles<2> tiles(count, counter, tma::shared<tma::AtomicTiles<2>::Shared>());
#endif
  if (threadIdx.x == 0)
    for (int tile : tiles)
      if (tile < count) out[tile] = 1;
}
