// expect: ignor
// flags: -Werror=all-warnings
#include "common.hpp"
#include <tma/device/barrier_forms.hpp>

struct Counters {
  tma::Mbarrier<32>      counter;
  tma::LoadBarrierOf<33> loads;
};

__global__ void kernel() {
  auto& s                      = tma::shared<Counters>();
  auto [block, arrived, loads] = tma::this_block(s.counter, s.loads);
#ifndef FIXED
  s.counter.arrive_token();
#else
  s.counter.arrive_token().wait();
#endif
}
