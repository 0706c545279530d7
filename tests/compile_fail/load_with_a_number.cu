// expect: tma: behind the arguments of a load stand a tma::CachePolicy, a tma::Multicast, or tma::cta_group<2>(), and nothing else
#include <tma/device/cache_policy.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived, 0x14f0000000000000ull);
#else
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived, tma::evict_last());
#endif
}
