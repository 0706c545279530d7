// expect: tma: this form of a barrier's instruction needs #include <tma/device/barrier_forms.hpp>
#include "common.hpp"

struct Counters {
  tma::Mbarrier<32>      counter;
  tma::LoadBarrierOf<33> loads;
};

__global__ void kernel() {
  auto& s                      = tma::shared<Counters>();
  auto [block, arrived, loads] = tma::this_block(s.counter, s.loads);
#ifndef FIXED
  s.counter.arrive(3);
#else
  s.counter.arrive();
#endif
}
