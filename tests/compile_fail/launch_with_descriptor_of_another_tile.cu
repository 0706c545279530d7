// expect: tma::launch: an argument does not convert to the kernel's parameter at its place
#include "common.hpp"

using Half = tma::Tile<float, tma::Shape<16, 32>>;

__global__ void kernel(const __grid_constant__ Map) {}

void run(const tma::TmaDescriptor<float, 2, Half>& half, const Map& map) {
#ifndef FIXED
  tma::launch(kernel, {.grid = 1, .block = 128}, half);
  (void)map;
#else
  tma::launch(kernel, {.grid = 1, .block = 128}, map);
  (void)half;
#endif
}
