// expect: tma: the destination of a store is not const
#include <tma/tma.hpp>

__global__ void kernel(const float* in, float* out) {
  __shared__ float array[64];
  auto             block = tma::this_block();
  auto             ready = block.publish(tma::SharedSpan<float>(array, 64));
#ifndef FIXED
  tma::BulkCopy1D().store(block, in, ready);
#else
  tma::BulkCopy1D().store(block, out, ready);
#endif
}
