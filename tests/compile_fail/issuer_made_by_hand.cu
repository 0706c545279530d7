// expect: an_issuer_comes_from_block_elect
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  const tma::Issuer issuer(threadIdx.x == 0);
#else
  const tma::Issuer issuer = block.elect();
#endif
  issuer.load(in, {0, 0}, tile, arrived);
}
