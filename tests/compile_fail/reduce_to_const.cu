// expect: tma: this descriptor is of const elements: it can only be loaded from
#include <tma/device/reduce.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ ConstMap out, const __grid_constant__ Map map) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  auto  ready = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(out, {0, 0}, ready);
#else
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(map, {0, 0}, ready);
#endif
}
