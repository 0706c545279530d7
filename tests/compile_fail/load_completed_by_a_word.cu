// expect: tma: a load completes on a tma::LoadBarrier
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  __shared__ unsigned long long word;
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, word);
#else
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
#endif
}
