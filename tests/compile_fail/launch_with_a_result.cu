// expect: tma::launch: an argument does not convert to the kernel's parameter at its place
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map) {}

void run(float* a) {
  auto map = tma::try_make_descriptor<Tile>(tma::TensorView{a, {64, 64}});
#ifndef FIXED
  tma::launch(kernel, {.grid = 1, .block = 128}, map);
#else
  tma::launch(kernel, {.grid = 1, .block = 128}, *map);
#endif
}
