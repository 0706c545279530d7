// expect: tma::Coord: an index is a signed 32-bit number; a 64-bit one (size_t, long) would be cut
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map in, long row) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in, {row, 0}, tile, arrived);
#else
  if (auto issuer = block.elect()) issuer.load(in, {int(row), 0}, tile, arrived);
#endif
}
