// expect: tma: the copies of this kind of descriptor are in a header of their own: #include <tma/device/im2col.hpp>
#include <tma/core/im2col.hpp>

#include "common.hpp"

using Pixels = tma::Tile<float, tma::Shape<64, 16>>;

struct Places {
  Pixels           tile;
  tma::LoadBarrier barrier;
};

#ifdef FIXED
#  include <tma/device/im2col.hpp>
#endif

__global__ void kernel(const __grid_constant__ tma::TmaDescriptor<const float, 4, tma::Im2col<Pixels>> in) {
  auto& [tile, barrier] = tma::shared<Places>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in, {0, 0, 0, 0}, tile, arrived);
#else
  if (auto issuer = block.elect()) issuer.load(in, {{0, 0, 0, 0}, {0, 0}}, tile, arrived);
#endif
}
