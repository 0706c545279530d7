// expect: tma::launch: an argument does not convert to the kernel's parameter at its place
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map) {}

#ifndef FIXED
void run(const ConstMap& map) {
#else
void run(const Map& map) {
#endif
  tma::launch(kernel, {.grid = 1, .block = 128}, map);
}
