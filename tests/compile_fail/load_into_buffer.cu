// expect: tma: a tensor copy moves a tma::Tile in shared memory
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  __shared__ tma::Buffer<float, 1024> place;
#else
  Tile& place = tile;
#endif
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, place, arrived);
}
