// expect: no instance of overloaded function "tma::Issuer::load" matches the argument list
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
  if (auto issuer = block.elect()) issuer.load(in, tma::Coord<2>{0, 0}, tile, arrived);
#else
  if (auto issuer = block.elect()) issuer.load(plain, tma::Coord<2>{0, 0}, tile, arrived);
#endif
}
