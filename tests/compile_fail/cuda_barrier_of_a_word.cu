// expect: tma::as_cuda_barrier: takes a tma::Mbarrier or a tma::LoadBarrierOf in shared memory
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
  tma::as_cuda_barrier(word).arrive_and_wait();
#else
  (void)word;
  tma::as_cuda_barrier(s.counter).arrive_and_wait();
#endif
}
