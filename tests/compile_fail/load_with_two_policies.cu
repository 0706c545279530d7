// expect: tma: this copy does not take this modifier, or not twice
#include <tma/device/cache_policy.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived, tma::evict_last(), tma::evict_first());
#else
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived, tma::evict_last());
#endif
}
