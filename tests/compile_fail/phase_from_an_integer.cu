// expect: a_phase_comes_from_this_block__not_from_a_number
#include "common.hpp"

__global__ void kernel() {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  tma::MbarrierPhase<tma::LoadBarrier> phase(0);
  phase.wait();
#else
  arrived.wait();
#endif
}
