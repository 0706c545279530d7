// The program around most of the mistakes: a tile, its descriptor, and what a kernel keeps in shared memory.
#pragma once

#include <tma/tma.hpp>

using Tile     = tma::Tile<float, tma::Shape<32, 32>>;
using Map      = tma::TmaDescriptor<float, 2, Tile>;
using ConstMap = tma::TmaDescriptor<const float, 2, Tile>;

struct Shared {
  Tile             tile;
  tma::LoadBarrier barrier;
};
