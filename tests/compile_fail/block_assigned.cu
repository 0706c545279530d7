// expect: a_group_is_one_threads_view__pass_it_by_reference
#include "common.hpp"

__global__ void kernel() {
  auto block = tma::this_block();
#ifndef FIXED
  block = tma::this_block();
#endif
  block.sync();
}
