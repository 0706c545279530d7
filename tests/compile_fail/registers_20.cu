// expect: tma: a thread's registers are 24 to 256, in steps of 8
#include "common.hpp"
#include <tma/device/register_budget.hpp>

struct Counters {
  tma::Mbarrier<32>      counter;
  tma::LoadBarrierOf<33> loads;
};

__global__ void kernel() {
  auto& s                      = tma::shared<Counters>();
  auto [block, arrived, loads] = tma::this_block(s.counter, s.loads);
#ifndef FIXED
  tma::shrink_registers<20>();
#else
  tma::shrink_registers<24>();
#endif
}
