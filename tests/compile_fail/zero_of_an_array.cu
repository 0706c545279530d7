// expect: tma::zero: fills a tma::Tile or a tma::Buffer in shared memory
#include "common.hpp"
#include <tma/device/zero.hpp>

struct Counters {
  tma::Mbarrier<32>      counter;
  tma::LoadBarrierOf<33> loads;
};

__global__ void kernel() {
  auto& s                      = tma::shared<Counters>();
  auto [block, arrived, loads] = tma::this_block(s.counter, s.loads);
  auto& values                 = tma::shared<int[4]>();
#ifndef FIXED
  tma::zero(values);
#else
  (void)values;
#endif
}
