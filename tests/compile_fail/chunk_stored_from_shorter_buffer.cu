// expect: tma: the destination is longer than the buffer in shared memory
#include <tma/tma.hpp>

__global__ void kernel(tma::AlignedPointer<float> out) {
  auto& buffer = tma::shared<tma::Buffer<float, 64>>();
  auto  block  = tma::this_block();
  auto  ready  = block.publish(buffer);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.store(out.chunk<128>(0), ready);
#else
  if (auto issuer = block.elect()) issuer.store(out.chunk<64>(0), ready);
#endif
}
