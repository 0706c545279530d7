// expect: a_batch_arrives_once__pass_it_by_reference
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  auto           issuer = block.elect();
  tma::LoadBatch batch(issuer, arrived);
#ifndef FIXED
  batch = tma::LoadBatch(issuer, arrived);
#endif
  batch.load(in, {0, 0}, tile);
}
