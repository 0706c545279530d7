// expect: tma::LoadBarrierOf: a phase has 1 to 1048575 arrivals
#include "common.hpp"

struct Counters {
  tma::Mbarrier<32>      counter;
  tma::LoadBarrierOf<33> loads;
};

__global__ void kernel() {
  auto& s                      = tma::shared<Counters>();
  auto [block, arrived, loads] = tma::this_block(s.counter, s.loads);
#ifndef FIXED
  __shared__ tma::LoadBarrierOf<0> none;
  (void)none;
#else
  s.loads.arrive();
#endif
}
