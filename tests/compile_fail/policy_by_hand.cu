// expect: a_policy_comes_from_tma_evict_first_and_its_like
#include <tma/device/cache_policy.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived, tma::CachePolicy(0));
#else
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived, tma::evict_last());
#endif
}
