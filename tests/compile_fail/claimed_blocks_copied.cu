// expect: each_tile_is_asked_for_once__pass_them_by_reference
#include "common.hpp"
#include <tma/pipeline/claimed_blocks.hpp>

__global__ void kernel() {
  using Tiles = tma::ClaimedBlocks<>;
  Tiles tiles(tma::shared<Tiles::Shared>());
#ifndef FIXED
  auto others = tiles;
#else
  auto& others = tiles;
#endif
  (void)others;
}
