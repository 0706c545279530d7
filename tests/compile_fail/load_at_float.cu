// expect: tma::Coord: an index is an integer
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in, float row) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in, {row, 0.f}, tile, arrived);
#else
  if (auto issuer = block.elect()) issuer.load(in, {int(row), 0}, tile, arrived);
#endif
}
