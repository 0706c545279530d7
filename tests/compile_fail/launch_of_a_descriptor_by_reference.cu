// expect: Take the value, a descriptor as const __grid_constant__ Map map
#include "common.hpp"

#ifndef FIXED
__global__ void kernel(const Map& map) {}
#else
__global__ void kernel(const __grid_constant__ Map map) {}
#endif

tma::Error run(const Map& map) { return tma::try_launch(kernel, {.grid = 1, .block = 128}, map); }
