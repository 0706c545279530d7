// expect: tma: gather4 needs sm_100 or newer; this compiles for sm_90a
#include <tma/device/gather.hpp>

#include "common.hpp"

using Four = tma::Tile<float, tma::Shape<4, 32>>;

struct Places {
  Four             tile;
  tma::LoadBarrier barrier;
};

__global__ void kernel(const __grid_constant__ tma::TmaDescriptor<float, 2, tma::Rows4<Four>> in,
                       const __grid_constant__ tma::TmaDescriptor<float, 2, Four> plain) {
  auto& [tile, barrier] = tma::shared<Places>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in, tma::rows(7, 1, 3, 3, 0), tile, arrived);
#else
  if (auto issuer = block.elect()) issuer.load(plain, {0, 0}, tile, arrived);
#endif
}
