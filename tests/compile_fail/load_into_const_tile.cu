// expect: tma: a load writes the tile: it cannot be const
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  const Tile& place = tile;
#else
  Tile& place = tile;
#endif
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, place, arrived);
}
