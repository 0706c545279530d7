// expect: a_block_comes_from_this_block
#include "common.hpp"

__global__ void kernel() {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  const tma::Block<> view;
#else
  const auto view = tma::this_block();
#endif
  view.sync();
}
