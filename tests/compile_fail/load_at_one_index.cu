// expect: tma::Coord: one index for each dimension of the tensor, slowest first
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in, int row) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in, {row}, tile, arrived);
#else
  if (auto issuer = block.elect()) issuer.load(in, {row, 0}, tile, arrived);
#endif
}
