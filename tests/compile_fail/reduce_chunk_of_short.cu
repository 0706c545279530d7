// expect: tma: the copy engine does not add elements of this type
#include <tma/device/reduce.hpp>

#include "common.hpp"

__global__ void kernel(tma::AlignedPointer<short> out) {
  auto& tile  = tma::shared<tma::Buffer<short, 64>>();
  auto  block = tma::this_block();
  auto  ready = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(out.chunk<64>(0), ready);
#else
  if (auto issuer = block.elect()) issuer.store(out.chunk<64>(0), ready);
#endif
}
