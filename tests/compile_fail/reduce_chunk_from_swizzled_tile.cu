// expect: tma: a one-dimensional copy reads elements in a row; this tile is swizzled or padded
#include <tma/device/reduce.hpp>

#include "common.hpp"

__global__ void
kernel(tma::AlignedPointer<float> out,
       const __grid_constant__    tma::TmaDescriptor<float, 2, tma::Tile<float, tma::Shape<32, 32>, tma::Swizzle::bytes_128>>
                                  map) {
  auto& tile  = tma::shared<tma::Tile<float, tma::Shape<32, 32>, tma::Swizzle::bytes_128>>();
  auto  block = tma::this_block();
  auto  ready = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(out.chunk<1024>(0), ready);
#else
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(map, {0, 0}, ready);
#endif
}
