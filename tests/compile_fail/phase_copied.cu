// expect: two_phases_of_one_barrier_would_drift_apart__pass_it_by_reference
#include "common.hpp"

__global__ void kernel() {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  auto phase = arrived;
#else
  auto& phase = arrived;
#endif
  phase.wait();
}
