// expect: an_extent_stride_or_block_count_is_an_integer__convert_it
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map) {}

void run(const Map& map, float blocks) {
#ifndef FIXED
  tma::launch(kernel, {.grid = blocks, .block = 128}, map);
#else
  tma::launch(kernel, {.grid = int(blocks), .block = 128}, map);
#endif
}
