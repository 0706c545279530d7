// expect: the_right_to_issue_stays_with_the_elected_thread__pass_it_by_reference
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  auto issuer           = block.elect();
#ifndef FIXED
  auto second = issuer;
#else
  auto& second = issuer;
#endif
  second.load(in, {0, 0}, tile, arrived);
}
