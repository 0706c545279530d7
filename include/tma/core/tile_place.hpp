#pragma once

#include "prologue.hpp"

namespace tma::inline TMA_ABI {

/// Where a tile is in a grid of tiles, counted in tiles.
struct TilePlace {
  int batch, row, column;
  /// False in a block of a cluster that reaches beyond the grid: it has no tile here, and takes the step with the others.
  bool valid;
};

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
