// expect: tma: scatter4 needs sm_100a, sm_100f, sm_103a, sm_103f, sm_110a or sm_110f; this compiles for sm_90a
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
  if (auto issuer = block.elect()) issuer.store(in, tma::rows(7, 1, 3, 3, 0), ready);
#else
  if (auto issuer = block.elect()) issuer.store(plain, {0, 0}, ready);
#endif
}
