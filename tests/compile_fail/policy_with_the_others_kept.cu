// expect: tma::CachePolicy: what has not the first priority has evict_first or evict_unchanged
#include <tma/device/cache_policy.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect())
    issuer.load(in, {0, 0}, tile, arrived, tma::evict_first<tma::CachePriority::evict_last>(.5f));
#else
  if (auto issuer = block.elect())
    issuer.load(in, {0, 0}, tile, arrived, tma::evict_last<tma::CachePriority::evict_first>(.5f));
#endif
}
