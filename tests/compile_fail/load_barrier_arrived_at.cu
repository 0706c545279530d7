// expect: tma: the one arrival of a LoadBarrier is that of the loads, which make it with their bytes
// expect: tma::LoadBarrierOf<1 + threads>
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
#ifndef FIXED
  barrier.arrive();
#endif
}
