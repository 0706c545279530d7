#pragma once

#include "prologue.hpp"

#include "meta.hpp"

namespace tma::inline TMA_ABI {

/// The extents of a tile, slowest first, as in C: `Shape<rows, columns>`.
///
/// Extents count elements. A shape by itself has no rank limit; what holds it (`Tile`) has.
template <int... Extents> struct Shape {
  static_assert(((Extents > 0) && ...), "tma::Shape: every extent is at least 1");

  static constexpr int         rank                          = sizeof...(Extents);
  static constexpr int         extents[rank == 0 ? 1 : rank] = {Extents...};
  static constexpr detail::u64 count                         = (detail::u64(Extents) * ... * 1);

  /// The fastest varying extent: the length of a row.
  static constexpr int inner = rank == 0 ? 1 : extents[rank == 0 ? 0 : rank - 1];
};

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
