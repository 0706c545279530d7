#pragma once

#include "config.hpp"

namespace tma {

/// What a scheduler answers: the index of a tile, or that there is none left. Four bytes; a pipeline carries it from the
/// thread that asks to those that compute as `tma::Meta<tma::TileOrEnd>`.
///
///     while (auto tile = tiles.next()) ... tile.index ...
struct TileOrEnd {
  int index = -1;  // below 0: no more

  TMA_HOST_DEVICE constexpr explicit    operator bool() const { return index >= 0; }
  friend TMA_HOST_DEVICE constexpr bool operator==(TileOrEnd a, TileOrEnd b) { return a.index == b.index; }
};

}  // namespace tma
