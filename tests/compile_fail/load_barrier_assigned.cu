// expect: a_barrier_is_a_place_in_shared_memory__take_it_by_reference
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  __shared__ tma::LoadBarrier copy;
  copy = barrier;
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, copy);
#else
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, barrier);
#endif
}
