// expect: tma: a load completes on a tma::LoadBarrier, which counts its bytes; not on a StoreGroup
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) {
    tma::StoreGroup stores(issuer);
    issuer.load(in, {0, 0}, tile, stores);
  }
#else
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
#endif
}
