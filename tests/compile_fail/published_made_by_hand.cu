// expect: what_is_stored_comes_from_block_publish_or_tma_as_loaded
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  const tma::Published<Tile> ready(tile);
#else
  const tma::Published<Tile> ready = block.publish(tile);
#endif
  if (auto issuer = block.elect()) issuer.store(out, {0, 0}, ready);
}
