// expect: two_phases_of_one_barrier_would_drift_apart__pass_it_by_reference
#include "common.hpp"

__global__ void kernel() {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  __shared__ tma::LoadBarrier second;
  auto [again, later] = tma::this_block(second);
  later               = arrived;
  later.wait();
#else
  arrived.wait();
#endif
}
