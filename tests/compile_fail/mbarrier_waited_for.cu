// expect: tma: a thread waits with its phase of the barrier, which knows the parity
#include "common.hpp"

__global__ void kernel() {
  auto& barrier         = tma::shared<tma::Mbarrier<32>>();
  auto [block, arrived] = tma::this_block(barrier);
  barrier.arrive();
#ifndef FIXED
  barrier.wait();
#else
  arrived.wait();
#endif
}
