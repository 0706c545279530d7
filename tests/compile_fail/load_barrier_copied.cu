// expect: a_barrier_is_a_place_in_shared_memory__take_it_by_reference
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  tma::LoadBarrier copy = barrier;
#else
  tma::LoadBarrier& copy = barrier;
#endif
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, copy);
}
