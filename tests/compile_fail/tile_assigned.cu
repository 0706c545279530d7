// expect: a_tile_is_a_place_in_shared_memory__take_it_by_reference
#include "common.hpp"

struct Two {
  Tile a, b;
};

__global__ void kernel() {
  auto& [a, b] = tma::shared<Two>();
#ifndef FIXED
  a = b;
#else
  for (int i = 0; i < Tile::size; ++i) a[i] = b[i];
#endif
}
