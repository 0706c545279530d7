// expect: tma::LoadBatch: a batch belongs to the elected thread and says what it completes on
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  tma::LoadBatch batch(arrived);
#else
  auto           issuer = block.elect();
  tma::LoadBatch batch(issuer, arrived);
#endif
  batch.load(in, {0, 0}, tile);
}
