// expect: tma: this copy does not take this modifier, or not twice

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  auto  ready = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.store(out, {0, 0}, ready, tma::ByteMask{0xff});
#else
  if (auto issuer = block.elect()) issuer.store(out, {0, 0}, ready);
#endif
}
