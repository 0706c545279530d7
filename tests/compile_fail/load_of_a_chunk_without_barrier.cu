// expect: tma: a load says what it completes on: issuer.load(chunk, buffer, arrived), then arrived.wait()
#include "common.hpp"

__global__ void kernel(tma::AlignedPointer<const float> in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in.chunk<1024>(0), tile);
#else
  if (auto issuer = block.elect()) issuer.load(in.chunk<1024>(0), tile, arrived);
#endif
}
