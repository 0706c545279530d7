// expect: tma: the descriptor's element type is not the tile's
#include "common.hpp"

using Other    = tma::Tile<int, tma::Shape<32, 32>>;
using OtherMap = tma::TmaDescriptor<Other::value_type, Other::rank, Other>;

__global__ void kernel(const __grid_constant__ Map in, const __grid_constant__ OtherMap other) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(other, {0, 0}, tile, arrived);
#else
  if (auto issuer = block.elect()) issuer.load(in, {0, 0}, tile, arrived);
#endif
}
