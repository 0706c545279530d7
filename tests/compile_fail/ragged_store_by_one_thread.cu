// expect: tma::BulkCopy1D: a copy of run-time length is made by all threads of a group: copy.store(block, pointer
#include <tma/tma.hpp>

__global__ void kernel(float* out) {
  __shared__ float       array[64];
  auto                   block = tma::this_block();
  tma::SharedSpan<float> span(array, 64);
  auto                   ready = block.publish(span);
#ifndef FIXED
  if (auto issuer = block.elect()) tma::BulkCopy1D().store(issuer, out, ready);
#else
  tma::BulkCopy1D().store(block, out, ready);
#endif
}
