// expect: tma: a load says what it completes on: issuer.load(descriptor, at, tile, arrived), then arrived.wait()
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile);
#else
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
#endif
}
