// expect: tma: wgmma.fence needs sm_90a; this compiles for sm_100a
// mistake: -gencode=arch=compute_100a,code=sm_100a
#include "common.hpp"
#include <tma/device/wgmma_fence.hpp>

struct Counters {
  tma::Mbarrier<32>      counter;
  tma::LoadBarrierOf<33> loads;
};

__global__ void kernel() {
  auto& s                      = tma::shared<Counters>();
  auto [block, arrived, loads] = tma::this_block(s.counter, s.loads);
#ifndef FIXED
  tma::wgmma_fence();
#else
  tma::wgmma_fence();
#endif
}
