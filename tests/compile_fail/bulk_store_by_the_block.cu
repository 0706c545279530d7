// expect: tma::BulkCopy1D<Count>: one elected thread issues it: if (auto issuer = block.elect()) copy.load(issuer, ...)
// expect: or copy.store(issuer, ...)
#include <tma/tma.hpp>

__global__ void kernel(tma::AlignedPointer<float> out) {
  auto& buffer = tma::shared<tma::Buffer<float, 64>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(buffer);
#ifndef FIXED
  tma::BulkCopy1D<64>().store(block, out, ready);
#else
  if (auto issuer = block.elect()) tma::BulkCopy1D<64>().store(issuer, out, ready);
#endif
}
