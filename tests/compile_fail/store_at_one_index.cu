// expect: tma::Coord: one index for each dimension of the tensor, slowest first
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out, int row) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  auto ready            = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.store(out, {row}, ready);
#else
  if (auto issuer = block.elect()) issuer.store(out, {row, 0}, ready);
#endif
}
