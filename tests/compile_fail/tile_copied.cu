// expect: a_tile_is_a_place_in_shared_memory__take_it_by_reference
#include "common.hpp"

__device__ float first(const Tile& tile) { return tile[0]; }

__global__ void kernel(float* out) {
  auto& shared = tma::shared<Shared>();
#ifndef FIXED
  Tile tile = shared.tile;
#else
  Tile& tile = shared.tile;
#endif
  *out = first(tile);
}
