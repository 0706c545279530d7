// expect: tma::BulkCopy1D: a copy of run-time length has ends that threads move, into this block alone
#include <tma/device/cache_policy.hpp>

#include "common.hpp"

__global__ void kernel(const float* in, tma::Multicast* blocks) {
  struct Shared {
    tma::RaggedBuffer<float, 64> buffer;
    tma::LoadBarrier             barrier;
  };
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  tma::BulkCopy1D<> copy;
#ifndef FIXED
  copy.load(block, buffer, in, 63, arrived, *blocks);
#else
  copy.load(block, buffer, in, 63, arrived, tma::evict_first());
#endif
}
