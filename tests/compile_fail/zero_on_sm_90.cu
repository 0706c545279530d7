// expect: tma: st.bulk needs sm_100 or newer; this compiles for sm_90a
#include "common.hpp"
#include <tma/device/zero.hpp>

struct Counters {
  tma::Mbarrier<32>      counter;
  tma::LoadBarrierOf<33> loads;
};

__global__ void kernel() {
  auto& s                      = tma::shared<Counters>();
  auto [block, arrived, loads] = tma::this_block(s.counter, s.loads);
  __shared__ Tile tile;
#ifndef FIXED
  tma::zero(tile);
#else
  tile[0] = 0;
#endif
}
