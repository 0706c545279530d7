// expect: a_tile_is_a_place_in_shared_memory__take_it_by_reference
#include "common.hpp"

#ifndef FIXED
__device__ float first(Tile tile) { return tile[0]; }
#else
__device__ float first(const Tile& tile) { return tile[0]; }
#endif

__global__ void kernel(float* out) { *out = first(tma::shared<Shared>().tile); }
