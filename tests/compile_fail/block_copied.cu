// expect: a_group_is_one_threads_view__pass_it_by_reference
#include "common.hpp"

__global__ void kernel() {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  auto view = block;
#else
  auto& view = block;
#endif
  view.sync();
}
