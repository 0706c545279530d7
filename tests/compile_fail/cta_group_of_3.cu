// expect: tma::cta_group: 1 or 2

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived, tma::cta_group<3>());
#else
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
#endif
}
