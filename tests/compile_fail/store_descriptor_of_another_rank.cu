// expect: tma: the descriptor was made for another tile: box, swizzle or element differ, so the copy would not fit
#include "common.hpp"

using Other    = tma::Tile<float, tma::Shape<1, 32, 32>>;
using OtherMap = tma::TmaDescriptor<Other::value_type, Other::rank, Other>;

__global__ void kernel(const __grid_constant__ Map out, const __grid_constant__ OtherMap other) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  auto ready            = block.publish(tile);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.store(other, {0, 0, 0}, ready);
#else
  if (auto issuer = block.elect()) issuer.store(out, {0, 0}, ready);
#endif
}
