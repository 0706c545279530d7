// expect: tma: the tile is not published: the engine may read stale shared memory. Write auto ready = block.publish(tile)
// expect: and store ready (or tma::as_loaded(tile) for bytes that a load brought and nobody changed)
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.store(out, {0, 0}, tile);
#else
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(out, {0, 0}, ready);
#endif
}
