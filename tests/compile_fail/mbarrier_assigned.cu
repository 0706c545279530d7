// expect: a_barrier_is_a_place_in_shared_memory__take_it_by_reference
#include "common.hpp"

struct Barriers {
  tma::Mbarrier<32> a, b;
};

__global__ void kernel() {
  auto& [a, b] = tma::shared<Barriers>();
#ifndef FIXED
  a = b;
#endif
  a.arrive();
}
