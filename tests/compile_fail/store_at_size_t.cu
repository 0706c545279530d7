// expect: tma::Coord: an index is a signed 32-bit number; a 64-bit one (size_t, long) would be cut
// expect: convert it with int(...) where it is known to fit
#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map out, std::size_t row) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  auto ready            = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.store(out, {row, 0}, ready);
#else
  if (auto issuer = block.elect()) issuer.store(out, {int(row), 0}, ready);
#endif
}
