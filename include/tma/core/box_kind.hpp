#pragma once

#include "prologue.hpp"

#include "tile.hpp"
#include "traversal.hpp"

namespace tma::inline TMA_ABI {
namespace detail {

// What the third argument of a TmaDescriptor says: a tile by itself is a box of the tensor's rank; the tags of im2col.hpp
// and gather.hpp name other ways to fill one. Each is known by its specialisation.
template <class Box> struct BoxKind {
  static constexpr bool known = false;
  using tile_type             = void;
};

template <class T, class ShapeT, Swizzle Mode> struct BoxKind<Tile<T, ShapeT, Mode>> {
  static constexpr bool      known       = true;
  static constexpr Traversal traversal   = Traversal::tiled;
  static constexpr int       lowest_rank = ShapeT::rank, highest_rank = ShapeT::rank;
  using tile_type = Tile<T, ShapeT, Mode>;

  static TMA_HOST_DEVICE constexpr bool check() {
    constexpr bool fits = [] {
      for (int extent : ShapeT::extents)
        if (extent > 256) return false;
      return true;
    }();
    static_assert(fits, "tma::Tile: a box is at most 256 elements in each dimension. Split the tile, or view the row as two "
                        "dimensions");
    return true;
  }
};

template <class Box> struct BoxKind<const Box> : BoxKind<Box> {};

template <class Box> using box_tile_t = typename BoxKind<Box>::tile_type;

// Kinds whose descriptors have corners: <tma/host/im2col.hpp> makes them.
template <class Box> inline constexpr bool is_im2col_box = false;
template <class Box, int Rank> struct CornersOf;

// What the other tags have in common: a tile of rank 2, whose rows are pixels or rows of the tensor.
template <class TileT, Traversal Way, int LowestRank, int HighestRank> struct RowBoxKind {
  static constexpr bool      known       = true;
  static constexpr Traversal traversal   = Way;
  static constexpr int       lowest_rank = LowestRank, highest_rank = HighestRank;
  using tile_type = remove_cv_t<TileT>;
};

template <class TileT> TMA_HOST_DEVICE constexpr bool is_rows_of(int low, int high) {
  if constexpr (is_tile_v<TileT>)
    if constexpr (TileT::rank == 2) return TileT::shape::extents[0] >= low && TileT::shape::extents[0] <= high;
  return false;
}

}  // namespace detail

/// The corners that a kind of box is made with: `Im2colBox<Rank>`, and `Im2colWBox` for the kinds that walk along w alone.
template <class Box, int Rank> using corners_of = typename detail::CornersOf<Box, Rank>::type;

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
