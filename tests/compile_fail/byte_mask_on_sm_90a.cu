// expect: tma: a store of some bytes of every 16 (byte_mask) needs sm_100 or newer; this compiles for sm_90a

#include "common.hpp"

__global__ void kernel(tma::AlignedPointer<float> out) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  auto  ready = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.store(out.chunk<1024>(0), ready, tma::ByteMask{0xff});
#else
  if (auto issuer = block.elect()) issuer.store(out.chunk<1024>(0), ready);
#endif
}
