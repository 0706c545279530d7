// expect: tma::BulkCopy1D: source and destination have the same element type
#include <tma/tma.hpp>

__global__ void kernel(double* other, float* out) {
  __shared__ float array[64];
  auto             block = tma::this_block();
  auto             ready = block.publish(tma::SharedSpan<float>(array, 64));
#ifndef FIXED
  tma::BulkCopy1D().store(block, other, ready);
#else
  tma::BulkCopy1D().store(block, out, ready);
#endif
}
