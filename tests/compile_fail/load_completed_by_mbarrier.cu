// expect: tma: a load completes on a tma::LoadBarrier
// expect: nor on an Mbarrier, which counts arrivals only
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  __shared__ tma::Mbarrier<1> counter;
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, counter);
#else
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
#endif
}
