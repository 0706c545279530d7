// expect: tma: a tensor is reduced into in boxes, or in pixels through an Im2col descriptor: PTX has no reduction of scattered rows
#include <tma/device/gather.hpp>

#include "common.hpp"

using Four = tma::Tile<float, tma::Shape<4, 32>>;

struct Places {
  Four             tile;
  tma::LoadBarrier barrier;
};

__global__ void kernel(const __grid_constant__ tma::TmaDescriptor<float, 2, tma::Rows4<Four>> in,
                       const __grid_constant__ tma::TmaDescriptor<float, 2, Four> plain) {
  auto& tile  = tma::shared<Four>();
  auto  block = tma::this_block();
  auto  ready = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(in, tma::rows(7, 1, 3, 3, 0), ready);
#else
  if (auto issuer = block.elect()) issuer.reduce<tma::Reduction::add>(plain, {0, 0}, ready);
#endif
}
