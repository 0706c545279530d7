// expect: tma::launch: a kernel must take its parameters by value: a reference is an address in host memory
#include "common.hpp"

struct Sizes {
  int rows, columns;
};

#ifndef FIXED
__global__ void kernel(const __grid_constant__ Map, const Sizes&) {}
#else
__global__ void kernel(const __grid_constant__ Map, const Sizes) {}
#endif

void run(const Map& map, const Sizes& sizes) { tma::launch(kernel, {.grid = 1, .block = 128}, map, sizes); }
