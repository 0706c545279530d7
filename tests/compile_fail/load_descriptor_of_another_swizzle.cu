// expect: tma: the descriptor was made for another tile: box, swizzle or element differ, so the copy would not fit
#include "common.hpp"

using Other    = tma::Tile<float, tma::Shape<32, 32>, tma::Swizzle::bytes_128>;
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
