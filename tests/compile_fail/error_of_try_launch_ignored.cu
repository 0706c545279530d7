// expect: ignoring return value from routine declared with "nodiscard" attribute
// flags: -Werror=all-warnings
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map) {}

bool run(const Map& map) {
#ifndef FIXED
  tma::try_launch(kernel, {.grid = 1, .block = 128}, map);
  return true;
#else
  return !tma::try_launch(kernel, {.grid = 1, .block = 128}, map);
#endif
}
