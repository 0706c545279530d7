// expect: a_multicast_comes_from_a_cluster

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived, tma::Multicast(3, true));
#else
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
#endif
}
