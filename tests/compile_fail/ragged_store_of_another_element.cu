// expect: tma::BulkCopy1D: source and destination have the same element type
#include <tma/tma.hpp>

__global__ void kernel(double* other, float* out) {
  __shared__ float       array[64];
  auto                   block = tma::this_block();
  tma::SharedSpan<float> span(array, 64);
  auto                   ready = block.publish(span);
#ifndef FIXED
  tma::BulkCopy1D().store(block, other, ready);
#else
  tma::BulkCopy1D().store(block, out, ready);
#endif
}
