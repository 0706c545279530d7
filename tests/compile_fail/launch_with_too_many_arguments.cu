// expect: tma::launch: one argument for each parameter of the kernel
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map) {}

void run(const Map& map) {
#ifndef FIXED
  tma::launch(kernel, {.grid = 1, .block = 128}, map, 2.f);
#else
  tma::launch(kernel, {.grid = 1, .block = 128}, map);
#endif
}
