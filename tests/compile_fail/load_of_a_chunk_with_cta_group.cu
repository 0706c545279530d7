// expect: tma: this copy does not take this modifier, or not twice

#include "common.hpp"

__global__ void kernel(tma::AlignedPointer<const float> in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in.chunk<1024>(0), tile, arrived, tma::cta_group<2>());
#else
  if (auto issuer = block.elect()) issuer.load(in.chunk<1024>(0), tile, arrived);
#endif
}
