// expect: tma::this_block: takes tma::LoadBarrier and tma::Mbarrier objects in shared memory
#include "common.hpp"

__global__ void kernel() {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  __shared__ unsigned long long word;
#else
  __shared__ tma::LoadBarrier word;
#endif
  auto [again, phase] = tma::this_block(word);
  again.sync();
}
