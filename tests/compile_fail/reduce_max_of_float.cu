// expect: tma: the copy engine has no min and max of this element type
#include <tma/device/reduce.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ tma::TmaDescriptor<float, 2, tma::Tile<float, tma::Shape<32, 32>>> out) {
  auto& tile  = tma::shared<tma::Tile<float, tma::Shape<32, 32>>>();
  auto  block = tma::this_block();
  auto  ready = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::max>(out, {0, 0}, ready);
#else
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(out, {0, 0}, ready);
#endif
}
