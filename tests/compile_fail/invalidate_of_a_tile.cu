// expect: tma::invalidate: takes the block and its barriers in shared memory
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
  __shared__ Tile tile;
  tma::invalidate(block, tile);
#else
  tma::invalidate(block, s.counter);
#endif
}
