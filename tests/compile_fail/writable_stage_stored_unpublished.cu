// expect: tma: the tile is not published: the engine may read stale shared memory
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map to) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<2, Tile>>(), block);
  auto           stage = out.acquire();
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.store(to, {0, 0}, *stage);
#else
  stage.store(to, {0, 0});
#endif
}
