// expect: tma: a store does not complete on a barrier. Leave the last argument out
#include <tma/device/reduce.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  auto  ready = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(out, {0, 0}, ready, tma::shared<tma::LoadBarrier>());
#else
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(out, {0, 0}, ready);
#endif
}
