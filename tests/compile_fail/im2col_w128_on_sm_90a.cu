// expect: tma: im2col of 128 pixels along w needs sm_100a, sm_100f, sm_103a, sm_103f, sm_110a or sm_110f; this compiles for sm_90a
#include <tma/device/im2col.hpp>

#include "common.hpp"

using Pixels = tma::Tile<float, tma::Shape<128, 16>>;

struct Places {
  Pixels           tile;
  tma::LoadBarrier barrier;
};

__global__ void kernel(const __grid_constant__ tma::TmaDescriptor<const float, 4, tma::Im2colW128<Pixels>> in,
                       const __grid_constant__ tma::TmaDescriptor<const float, 4, tma::Im2col<Pixels>> plain) {
  auto& [tile, barrier] = tma::shared<Places>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in, {{0, 0, 0, 0}, 0}, tile, arrived);
#else
  if (auto issuer = block.elect()) issuer.load(plain, {{0, 0, 0, 0}, {0, 0}}, tile, arrived);
#endif
}
