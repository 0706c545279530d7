// expect: tma: cta_group needs sm_100a, sm_100f, sm_103a, sm_103f, sm_110a or sm_110f; this compiles for sm_90a

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived, tma::cta_group<2>());
#else
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
#endif
}
