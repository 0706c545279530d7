// expect: tma: the descriptor was made for another tile: box, swizzle or element differ
#include <tma/device/im2col.hpp>

#include "common.hpp"

using Pixels = tma::Tile<float, tma::Shape<64, 16>>;

struct Places {
  Pixels           tile;
  tma::LoadBarrier barrier;
};

struct Wrong {
  tma::Tile<float, tma::Shape<32, 16>> tile;
  tma::LoadBarrier                     barrier;
};

#ifndef FIXED
using Chosen = Wrong;
#else
using Chosen = Places;
#endif

__global__ void kernel(const __grid_constant__ tma::TmaDescriptor<const float, 4, tma::Im2col<Pixels>> in) {
  auto& [tile, barrier] = tma::shared<Chosen>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in, {{0, 0, 0, 0}, {0, 0}}, tile, arrived);
}
