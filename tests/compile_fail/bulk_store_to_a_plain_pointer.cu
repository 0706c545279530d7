// expect: tma::BulkCopy1D: nothing promises that this plain pointer is a multiple of 16
// expect: tma::AlignedPointer from tma::aligned(pointer), which looks
#include <tma/tma.hpp>

#ifndef FIXED
__global__ void kernel(float* out) {
#else
__global__ void kernel(tma::AlignedPointer<float> out) {
#endif
  auto& buffer = tma::shared<tma::Buffer<float, 64>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(buffer);
  if (auto issuer = block.elect()) tma::BulkCopy1D<64>().store(issuer, out, ready);
}
