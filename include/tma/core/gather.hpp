#pragma once

#include "prologue.hpp"

#include "box_kind.hpp"

namespace tma::inline TMA_ABI {

/// A box kind, the third argument of a `TmaDescriptor`: one copy moves four rows of a rank-2 tensor, each of them anywhere.
///
///     using Four = tma::Tile<float, tma::Shape<4, 32>, tma::Swizzle::bytes_128>;
///     tma::TmaDescriptor<const float, 2, tma::Rows4<Four>>
///
/// The tile is four rows by columns; the map's own box is one such row. Compute capability 10.
template <class TileT> struct Rows4;

namespace detail {

template <class TileT> struct BoxKind<Rows4<TileT>> : RowBoxKind<TileT, Traversal::rows4, 2, 2> {
  static TMA_HOST_DEVICE constexpr bool check() {
    constexpr bool narrow = [] {
      if constexpr (is_rows_of<TileT>(4, 4)) return TileT::row_elements <= 256;
      return true;
    }();
    static_assert(is_rows_of<TileT>(4, 4),
                  "tma::Rows4: the tile is four rows by columns: tma::Rows4<tma::Tile<T, tma::Shape<4, columns>>>");
    static_assert(narrow, "tma::Rows4: a row is at most 256 elements");
    return true;
  }
};

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
