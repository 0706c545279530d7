// expect: a_store_group_waits_once__move_it_or_pass_it_by_reference
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out) {
  auto& [tile, barrier]  = tma::shared<Shared>();
  auto [block, arrived]  = tma::this_block(barrier);
  auto            ready  = block.publish(tile);
  auto            issuer = block.elect();
  tma::StoreGroup stores(issuer);
#ifndef FIXED
  auto second = stores;
#else
  auto& second = stores;
#endif
  second.store(out, {0, 0}, ready);
}
