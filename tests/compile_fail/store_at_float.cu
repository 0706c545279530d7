// expect: tma::Coord: an index is an integer
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out, float row) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  auto ready            = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.store(out, {row, 0.f}, ready);
#else
  if (auto issuer = block.elect()) issuer.store(out, {int(row), 0}, ready);
#endif
}
