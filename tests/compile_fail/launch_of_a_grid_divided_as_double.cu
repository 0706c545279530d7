// expect: an_extent_stride_or_block_count_is_an_integer__convert_it
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map) {}

void run(const Map& map, int rows, int columns) {
#ifndef FIXED
  tma::launch(kernel, {.grid = {columns / 32., rows / 32.}, .block = 128}, map);
#else
  tma::launch(kernel, {.grid = {(columns + 31) / 32, (rows + 31) / 32}, .block = 128}, map);
#endif
}
