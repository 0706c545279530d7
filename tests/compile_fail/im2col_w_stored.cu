// expect: tma: im2col along w alone is a way to load: PTX has no store of it
#include <tma/device/im2col.hpp>

#include "common.hpp"

using Pixels = tma::Tile<float, tma::Shape<64, 16>>;

struct Places {
  Pixels           tile;
  tma::LoadBarrier barrier;
};

__global__ void kernel(const __grid_constant__ tma::TmaDescriptor<float, 4, tma::Im2colW<Pixels>> in,
                       const __grid_constant__ tma::TmaDescriptor<float, 4, tma::Im2col<Pixels>> plain) {
  auto& tile  = tma::shared<Pixels>();
  auto  block = tma::this_block();
  auto  ready = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.store(in, {{0, 0, 0, 0}}, ready);
#else
  if (auto issuer = block.elect()) issuer.store(plain, {{0, 0, 0, 0}}, ready);
#endif
}
