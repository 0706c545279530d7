// expect: tma: source and destination have the same element type
#include <tma/tma.hpp>

#ifndef FIXED
__global__ void kernel(tma::AlignedPointer<int> out) {
#else
__global__ void kernel(tma::AlignedPointer<float> out) {
#endif
  auto& buffer = tma::shared<tma::Buffer<float, 64>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(buffer);
  if (auto issuer = block.elect()) issuer.store(out.chunk<64>(0), ready);
}
