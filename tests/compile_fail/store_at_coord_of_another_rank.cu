// expect: tma::Coord: this coordinate has another rank than the tensor
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out, tma::Coord<3> at) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  auto ready            = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.store(out, at, ready);
#else
  if (auto issuer = block.elect()) issuer.store(out, {at[1], at[2]}, ready);
#endif
}
