// expect: tma::first_phase: takes what tma::as_load_barrier or tma::as_mbarrier returned
#include "common.hpp"
#include <tma/interop/cuda_barrier.hpp>

struct Counters {
  tma::Mbarrier<32>      counter;
  tma::LoadBarrierOf<33> loads;
};

__global__ void kernel() {
  auto& s                      = tma::shared<Counters>();
  auto [block, arrived, loads] = tma::this_block(s.counter, s.loads);
  auto& word                   = tma::shared<unsigned long long>();
#ifndef FIXED
  tma::first_phase(word).wait();
#else
  (void)word;
  tma::first_phase(tma::as_mbarrier<32>(tma::as_cuda_barrier(s.counter))).wait();
#endif
}
