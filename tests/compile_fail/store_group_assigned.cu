// expect: a_store_group_is_not_assigned__call_its_store_again
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  auto ready            = block.publish(tile);
  auto issuer           = block.elect();
  auto stores           = issuer.store(out, {0, 0}, ready);
#ifndef FIXED
  stores = issuer.store(out, {32, 0}, ready);
#else
  stores.store(out, {32, 0}, ready);
#endif
}
