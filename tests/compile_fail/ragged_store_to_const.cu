// expect: tma: the destination of a store is not const
#include <tma/tma.hpp>

__global__ void kernel(const float* in, float* out) {
  __shared__ float       array[64];
  auto                   block = tma::this_block();
  tma::SharedSpan<float> span(array, 64);
  auto                   ready = block.publish(span);
#ifndef FIXED
  tma::BulkCopy1D().store(block, in, ready);
#else
  tma::BulkCopy1D().store(block, out, ready);
#endif
}
