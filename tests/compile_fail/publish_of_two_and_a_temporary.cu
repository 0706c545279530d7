// expect: tma: what publish() returns refers to its argument, which must be a variable: this is a temporary
#include <tma/tma.hpp>

__global__ void kernel(float* out) {
  auto& buffer = tma::shared<tma::Buffer<float, 64>>();
  auto  block  = tma::this_block();
#ifndef FIXED
  auto [whole, ready] = block.publish(buffer, tma::SharedSpan<float>(buffer.data(), 64));
#else
  tma::SharedSpan<float> span(buffer.data(), 64);
  auto [whole, ready] = block.publish(buffer, span);
#endif
  tma::BulkCopy1D().store(block, out, ready);
}
