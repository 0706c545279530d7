// expect: tma: reductions are in a header of their own: #include <tma/device/reduce.hpp>

#include "common.hpp"

#ifdef FIXED
#  include <tma/device/reduce.hpp>
#endif

__global__ void kernel(const __grid_constant__ Map out) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  auto  ready = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(out, {0, 0}, ready);
#else
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(out, {0, 0}, ready);
#endif
}
