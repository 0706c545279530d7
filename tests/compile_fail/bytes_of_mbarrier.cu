// expect: tma: bytes are counted by a tma::LoadBarrier, its phase, or its peer
#include "common.hpp"
#include <tma/device/transactions.hpp>

struct Counters {
  tma::Mbarrier<32>      counter;
  tma::LoadBarrierOf<33> loads;
};

__global__ void kernel() {
  auto& s                      = tma::shared<Counters>();
  auto [block, arrived, loads] = tma::this_block(s.counter, s.loads);
#ifndef FIXED
  tma::expect_bytes(arrived, 64);
#else
  tma::expect_bytes(loads, 64);
#endif
}
