// expect: tma: st.async.release needs sm_100 or newer; this compiles for sm_90a
#include "common.hpp"
#include <tma/device/release_store.hpp>

struct Counters {
  tma::Mbarrier<32>      counter;
  tma::LoadBarrierOf<33> loads;
};

__global__ void kernel() {
  auto& s                      = tma::shared<Counters>();
  auto [block, arrived, loads] = tma::this_block(s.counter, s.loads);
  __shared__ int* flag;
#ifndef FIXED
  tma::release_store(flag, 1);
#else
  *flag = 1;
#endif
}
