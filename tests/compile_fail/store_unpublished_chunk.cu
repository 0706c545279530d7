// expect: tma: the tile is not published: the engine may read stale shared memory. Write auto ready = block.publish(tile)
#include "common.hpp"

__global__ void kernel(tma::AlignedPointer<float> out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.store(out.chunk<1024>(0), tile);
#else
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(out.chunk<1024>(0), ready);
#endif
}
