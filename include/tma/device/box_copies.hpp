// Copies between a descriptor and a tile: what is asked of both, whatever the kind of box, and the instructions of each kind.
#pragma once

#include "../core/prologue.hpp"

#include "../core/descriptor.hpp"
#include "check.hpp"
#include "modifiers.hpp"

namespace tma::inline TMA_ABI::detail {

template <class Box> TMA_HOST_DEVICE constexpr Traversal traversal_of() {
  if constexpr (BoxKind<Box>::known) return BoxKind<Box>::traversal;
  else return Traversal::tiled;
}

// The one reversal between our order of dimensions and the instruction's.
template <int Rank> TMA_DEVICE ptx::Coordinates<Rank> reversed(const Coord<Rank>& at) {
  ptx::Coordinates<Rank> c;
  for (int d = 0; d < Rank; ++d) c.at[d] = at[Rank - 1 - d];
  return c;
}

// The copies of one way to walk a tensor: where one begins (`Place`), which element of that is the innermost index, which
// tiles it takes, and its instructions. im2col.hpp and gather.hpp have the others.
template <Traversal Way, int Rank> struct BoxCopies {
  static constexpr bool known = false, stores = true;
  using Place = Coord<Rank>;
};

template <int Rank> struct BoxCopies<Traversal::tiled, Rank> {
  static constexpr bool known = true, stores = true;
  using Place = Coord<Rank>;

  static TMA_DEVICE int                                                       inner(const Place& at) { return at[Rank - 1]; }
  static TMA_DEVICE int&                                                      inner(Place& at) { return at[Rank - 1]; }
  template <class BoxTile, class TileT> static TMA_HOST_DEVICE constexpr bool holds() { return is_same_v<BoxTile, TileT>; }

  template <class BoxTile, class TileT, CopyForm F>
  static TMA_DEVICE void load(u32 tile, const void* map, const Place& at, u32 barrier, const CopyExtra& extra) {
    ptx::tensor_load<Rank, F>(tile, map, reversed(at), barrier, extra);
  }
  template <CopyForm F> static TMA_DEVICE void store(const void* map, const Place& at, u32 tile, const CopyExtra& extra) {
    ptx::tensor_store<Rank, F>(map, reversed(at), tile, extra);
  }
};

template <class Box, int Rank> using box_copies_t = BoxCopies<traversal_of<Box>(), Rank>;
// Where a copy begins. Deduced from the descriptor, so that a place may be written in braces.
template <class Box, int Rank> using place_t = typename BoxCopies<traversal_of<Box>(), Rank>::Place;

// The place as the instruction counts it: of packed units, in elements.
template <class T, class Copies> TMA_DEVICE decltype(auto) in_elements(const typename Copies::Place& at) {
  if constexpr (elements_per_unit<T> == 1) {
    return (at);
  } else {
    typename Copies::Place counted = at;
    Copies::inner(counted) *= elements_per_unit<T>;
    return counted;
  }
}

template <class T> TMA_DEVICE void check_inner([[maybe_unused]] int inner) {
  if constexpr (checked)
    check(inner % coordinate_granule<T> == 0,
          sizeof(T) == 16
              ? "the innermost coordinate must be a multiple of 8 units of 16 padded elements. Fix: start the tile at "
                "one and use the part of it that is wanted; the innermost coordinate, in units"
              : "the innermost coordinate times the element size must be a multiple of 16 bytes. Fix: start the tile "
                "at an aligned element and use the part of it that is wanted; the innermost coordinate, in elements",
          inner);
}

// What holds of every copy through a descriptor.
template <class Box, int Rank> TMA_HOST_DEVICE constexpr bool check_box() {
  static_assert(box_copies_t<Box, Rank>::known,
                "tma: the copies of this kind of descriptor are in a header of their own: #include <tma/device/im2col.hpp> "
                "for tma::Im2col and its like, <tma/device/gather.hpp> for tma::Rows4");
  return box_copies_t<Box, Rank>::known;
}

// And of every copy between one and a tile, in both directions.
template <class T, int Rank, class Box, class TileT> TMA_HOST_DEVICE constexpr bool check_tile() {
  static_assert(is_tile_v<TileT>, "tma: a tensor copy moves a tma::Tile in shared memory");
  if constexpr (is_tile_v<TileT>) {
    static_assert(is_same_v<remove_cv_t<T>, typename TileT::value_type>,
                  "tma: the descriptor's element type is not the tile's");
    if constexpr (!is_same_v<Box, void> && box_copies_t<Box, Rank>::known) {
      constexpr bool holds = box_copies_t<Box, Rank>::template holds<box_tile_t<Box>, remove_cv_t<TileT>>();
      static_assert(holds,
                    "tma: the descriptor was made for another tile: box, swizzle or element differ, so the copy would "
                    "not fit. Use the descriptor's own tile type, or make a descriptor for this one: "
                    "tma::make_descriptor<Tile>(view)");
    }
  }
  return check_box<Box, Rank>();
}

template <int Rank> TMA_DEVICE int lowest(const Coord<Rank>& at) {
  int least = at[0];
  for (int d = 1; d < Rank; ++d) least = at[d] < least ? at[d] : least;
  return least;
}

// Of a store or reduction. Scattered rows may lie anywhere.
template <class Place> TMA_DEVICE void check_not_negative([[maybe_unused]] const Place& at) {
  if constexpr (watched) {
    int least = 0;
    if constexpr (requires { at.first; }) least = lowest(at.first);
    else if constexpr (requires { at.column; }) least = at.column;
    else least = lowest(at);
    check(least >= 0,
          "a store begins at coordinates of at least 0, and must: the engine faults at others, and clips only at the end. "
          "Fix: "
          "begin at 0 with what is left of the tile; the least coordinate, in elements",
          least);
  }
}

// Where a copy lies in this block's shared memory. The simulator knows what the engine refuses; what a swizzle needs beyond
// that is the tile's own: the engine permutes by address bits, and the tile by the distance from its start.
template <class TileT> TMA_DEVICE void check_tile_place([[maybe_unused]] u32 place) {
  if constexpr (checked && (watched || TileT::alignment > 128))
    check(
        place % u32(TileT::alignment) == 0 || (!watched && place % 128 != 0),
        TileT::alignment > 128
            ? "the tile must lie at a multiple of the bytes after which its swizzle repeats, or its elements are not where "
              "tile(row, column) looks for them: the tile does not lie as its type asks in shared memory. Fix: take it from "
              "tma::shared<T>(), or align the memory it is made in to alignof(Tile); the address modulo alignof(Tile)"
            : "the tile must lie at a multiple of 128 bytes: the tile does not lie as its type asks in shared memory. Fix: "
              "take it from tma::shared<T>(), or align the memory it is made in to alignof(Tile); the address modulo that",
        place % u32(TileT::alignment));
}
TMA_DEVICE void check_bulk_place([[maybe_unused]] u32 place) {
  if constexpr (watched)
    check(place % 16 == 0,
          "the buffer of a bulk copy lies at a multiple of 16 bytes of shared memory, and must. Fix: take it from "
          "tma::shared<T>(); the address modulo 16",
          place % 16);
}

template <class T, int Rank, class Box>
TMA_DEVICE void check_place([[maybe_unused]] const TmaDescriptor<const T, Rank, Box>& descriptor) {
  if constexpr (checked)
    check(!ptx::is_local(tensor_map(descriptor)),
          "the descriptor lies in local memory, where the copy engine cannot read it: it must stay a parameter. Fix: write "
          "const __grid_constant__ before the kernel's parameter, and pass it on by const reference",
          0);
  if constexpr (watched) {
    const void* const map = tensor_map(descriptor);
    check(!ptx::is_shared(map),
          "the descriptor lies in shared memory, where the copy engine cannot read it: it must lie elsewhere. Fix: use the "
          "kernel's parameter, or one in global memory (tma::acquire)",
          0);
    check(
        u64(map) % 64 == 0,
        "a descriptor lies at a multiple of 64 bytes, and must. Fix: keep it as a tma::TmaDescriptor, which is aligned; the "
        "address modulo 64",
        i64(u64(map) % 64));
  }
}

// From dimension `D` on, of which the box has `outer` slices: where there are several, the tile looks for the second as far
// behind the first as its own type says.
template <int D, class T, int Rank, class TileT>
TMA_DEVICE void check_extents(const TmaDescriptor<const T, Rank, void>& descriptor, int outer) {
  outer *= descriptor.box(D - 1);
  if constexpr (D < Rank - 1) {
    constexpr int extent = TileT::shape::extents[D];
    check(
        outer == 1 || descriptor.box(D) == extent,
        "the descriptor's box must have the tile's extents in every dimension but the first. Fix: make the descriptor with "
        "the tile's extents, use a tile of the box's, or for any box a tile of another rank and tile[i]; the box's extent "
        "in the dimension that differs",
        descriptor.box(D));
    check_extents<D + 1, T, Rank, TileT>(descriptor, outer);
  } else {
    constexpr int span = swizzle_span(TileT::swizzle);
    const int     row  = descriptor.box(D) * int(sizeof(T));
    check(
        outer == 1 || (row > span ? row : span) == TileT::pitch_bytes,
        "a row of the descriptor's box must be as long as a row of the tile, which looks for the second row elsewhere. Fix: "
        "make the descriptor with rows of Tile::row_elements, use a tile whose rows are the box's, or for boxes of any row "
        "one of another rank and tile[i]; bytes of the box's row",
        row);
  }
}

// A box of run time in a tile: the tile has room for it, and looks for its elements where the engine puts them.
template <class T, int Rank, class TileT>
TMA_DEVICE void check_room([[maybe_unused]] const TmaDescriptor<const T, Rank, void>& descriptor) {
  if constexpr (checked) {
    check(descriptor.swizzle() == TileT::swizzle,
          "the descriptor's swizzle must be the tile's, or the tile looks for its elements where they are not. Fix: "
          "tma::make_descriptor(view, box, Tile::swizzle), or a tile of the descriptor's swizzle; the descriptor's, as "
          "tma::Swizzle counts them",
          i64(descriptor.swizzle()));
    // A tile of one row, or of another rank, is room for any box: its user counts the elements himself.
    if constexpr (TileT::rows > 1 && TileT::rank == Rank) check_extents<1, T, Rank, TileT>(descriptor, 1);
    check(descriptor.footprint_bytes() <= int(sizeof(TileT)),
          "the box must fit the tile: the tile does not hold the descriptor's box, and what lies behind it would be written "
          "over. Fix: use a larger tile, or make the descriptor with a smaller box; bytes the box needs",
          descriptor.footprint_bytes());
  }
}

// What a checked build looks at before every copy between a descriptor and a tile.
template <class TileT, class T, int Rank, class Box>
TMA_DEVICE void check_copy(const TmaDescriptor<const T, Rank, Box>& descriptor, const place_t<Box, Rank>& at, u32 place) {
  check_place(descriptor);
  check_tile_place<TileT>(place);
  check_inner<T>(box_copies_t<Box, Rank>::inner(at));
  if constexpr (is_same_v<Box, void>) check_room<T, Rank, TileT>(descriptor);
}

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
