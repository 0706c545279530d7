// expect: a_barrier_is_a_place_in_shared_memory__take_it_by_reference
#include "common.hpp"

__global__ void kernel() {
  auto& barrier = tma::shared<tma::Mbarrier<32>>();
#ifndef FIXED
  auto copy = barrier;
#else
  auto& copy = barrier;
#endif
  copy.arrive();
}
