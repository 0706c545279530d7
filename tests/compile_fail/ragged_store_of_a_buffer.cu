// expect: and the source is a published tma::SharedSpan: what a load of run-time length returned
#include <tma/tma.hpp>

__global__ void kernel(float* out) {
  auto& buffer = tma::shared<tma::Buffer<float, 64>>();
  auto  block  = tma::this_block();
#ifndef FIXED
  tma::BulkCopy1D().store(block, out, block.publish(buffer));
#else
  tma::SharedSpan<float> span(buffer.data(), 64);
  tma::BulkCopy1D().store(block, out, block.publish(span));
#endif
}
