// expect: tma: the tile is not published: the engine may read stale shared memory
#include <tma/device/reduce.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  auto  ready = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(out, {0, 0}, tile);
#else
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(out, {0, 0}, ready);
#endif
}
