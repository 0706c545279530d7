// expect: tma::BulkCopy1D: a copy of run-time length writes every byte
#include <tma/device/cache_policy.hpp>

#include "common.hpp"

__global__ void kernel(float* out) {
  auto&                   buffer = tma::shared<tma::Buffer<float, 64>>();
  auto                    block  = tma::this_block();
  tma::SharedSpan<float>  span{&buffer[0], 63};
  auto                    ready = block.publish(span);
  const tma::BulkCopy1D<> copy;
#ifndef FIXED
  copy.store(block, out, ready, tma::ByteMask{0xff});
#else
  copy.store(block, out, ready, tma::evict_first());
#endif
}
