// expect: tma::Coord: this coordinate has another rank than the tensor
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in, tma::Coord<3> at) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in, at, tile, arrived);
#else
  if (auto issuer = block.elect()) issuer.load(in, {at[1], at[2]}, tile, arrived);
#endif
}
