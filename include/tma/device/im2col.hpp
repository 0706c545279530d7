// Copies of the pixels of a convolution, through descriptors of `Im2col<Tile>`, `Im2colW<Tile>` and `Im2colW128<Tile>`:
// the calls are those of tiles, with an `Im2colCoord` or `Im2colWCoord` for the place.
#pragma once

#include "../core/prologue.hpp"

#include "../core/im2col.hpp"
#include "prefetch.hpp"
#include "reduce.hpp"

#include TMA_DETAIL_PTX(_modes)

namespace tma::inline TMA_ABI {

/// Where an im2col copy begins: the first pixel and channel, and the filter element's offset, slowest dimension first.
///
///     issuer.load(conv, {{n, oh * stride - padding, ow * stride - padding, c}, {kh * dilation, kw * dilation}}, tile, arrived);
///
/// `first` lies in the bounding box of the descriptor: its pixels begin at the lower corner and go by the element strides.
/// The copy goes on from there along w, then h, d and n; to each pixel the offset is added, and what then lies outside of the
/// tensor is filled. An offset is at least 0 and at most 65535 in rank 3, 255 in rank 4, 31 in rank 5. The channel times the
/// element size is a multiple of 16 bytes. A store or reduction has no offsets and begins inside of the tensor; its bounding
/// box lies inside as well.
template <int Rank> struct Im2colCoord {
  Coord<Rank> first;
  int         offset[Im2colBox<Rank>::dimensions] = {};
};

/// The same where the copy goes along w alone: one offset, 0 to 31. How many pixels of halo come with those of the box is what
/// the tile has rows more: `Im2colW`, up to 511; `Im2colW128`, up to 31 after each 32 pixels.
template <int Rank> struct Im2colWCoord {
  Coord<Rank> first;
  int         offset = 0;
};

namespace detail {

template <int Rank> struct BoxCopies<Traversal::im2col, Rank> {
  static constexpr bool known = true, stores = true;
  using Place                  = Im2colCoord<Rank>;
  static constexpr int offsets = Rank - 2, largest = Rank == 3 ? 0xffff : Rank == 4 ? 0xff : 0x1f;

  static TMA_DEVICE int  inner(const Place& at) { return at.first[Rank - 1]; }
  static TMA_DEVICE int& inner(Place& at) { return at.first[Rank - 1]; }
  template <class BoxTile, class TileT> static TMA_HOST_DEVICE constexpr bool holds() { return is_same_v<BoxTile, TileT>; }

  struct Offsets {
    u16 at[offsets];
    TMA_DEVICE explicit Offsets(const Place& place) {
      for (int d = 0; d < offsets; ++d) {
        check(
            place.offset[d] >= 0 && place.offset[d] <= largest,
            "an im2col offset must be 0 to 65535 in rank 3, to 255 in rank 4, to 31 in rank 5. Fix: add what is more to the "
            "pixel; the offset",
            place.offset[d]);
        at[offsets - 1 - d] = u16(place.offset[d]);
      }
    }
  };

  template <class BoxTile, class TileT, CopyForm F>
  static TMA_DEVICE void load(u32 tile, const void* map, const Place& at, u32 barrier, const CopyExtra& extra) {
    const Offsets offset(at);
    ptx::im2col_load<Traversal::im2col, Rank, F>(tile, map, reversed(at.first), offset.at, barrier, extra);
  }
  template <CopyForm F> static TMA_DEVICE void store(const void* map, const Place& at, u32 tile, const CopyExtra& extra) {
    check_no_offset(at);
    ptx::im2col_store<Rank, F>(map, reversed(at.first), tile, extra);
  }
  static TMA_DEVICE void check_no_offset([[maybe_unused]] const Place& at) {
    for (int d = 0; checked && d < offsets; ++d)
      check(at.offset[d] == 0,
            "a store through an im2col descriptor must have no offsets. Fix: add them to the pixel; the offset",
            at.offset[d]);
  }
};

template <Reduction Op, CopyForm F, int Rank>
TMA_DEVICE void reduce_box(BoxCopies<Traversal::im2col, Rank> copies, const void* map, const Im2colCoord<Rank>& at, u32 tile,
                           const CopyExtra& extra) {
  copies.check_no_offset(at);
  ptx::tensor_reduce<Op, Traversal::im2col, Rank, F>(map, reversed(at.first), tile, extra);
}

template <CopyForm F, int Rank>
TMA_DEVICE void prefetch_box(BoxCopies<Traversal::im2col, Rank>, const void* map, const Im2colCoord<Rank>& at,
                             const CopyExtra& extra) {
  const typename BoxCopies<Traversal::im2col, Rank>::Offsets offset(at);
  ptx::im2col_prefetch<Traversal::im2col, Rank, F>(map, reversed(at.first), offset.at, extra);
}

// Along w alone. The halo is what the tile has rows more than the box.
template <Traversal Way, int Rank> struct WideCopies {
  static constexpr bool known = true, stores = false;
  using Place = Im2colWCoord<Rank>;
  // After how many rows a halo comes, and the largest one.
  static constexpr int largest = Way == Traversal::im2col_w ? 511 : 31;

  static TMA_DEVICE int  inner(const Place& at) { return at.first[Rank - 1]; }
  static TMA_DEVICE int& inner(Place& at) { return at.first[Rank - 1]; }

  template <class BoxTile, class TileT> static TMA_HOST_DEVICE constexpr int halo() {
    return Way == Traversal::im2col_w ? TileT::rows - BoxTile::rows : (TileT::rows - 128) / 4;
  }
  template <class BoxTile, class TileT> static TMA_HOST_DEVICE constexpr bool holds() {
    if constexpr (TileT::rank != 2) return false;
    else {
      constexpr int more = TileT::rows - BoxTile::rows;
      return is_same_v<typename BoxTile::value_type, typename TileT::value_type> && BoxTile::swizzle == TileT::swizzle &&
             BoxTile::row_elements == TileT::row_elements && more >= 0 && halo<BoxTile, TileT>() <= largest &&
             (Way == Traversal::im2col_w || more % 4 == 0);
    }
  }

  static TMA_DEVICE u16 offset(const Place& at) {
    check(at.offset >= 0 && at.offset <= 31,
          "the offset along w must be 0 to 31. Fix: add what is more to the pixel; the offset", at.offset);
    return u16(at.offset);
  }

  template <class BoxTile, class TileT, CopyForm F>
  static TMA_DEVICE void load(u32 tile, const void* map, const Place& at, u32 barrier, const CopyExtra& extra) {
    const u16 both[] = {u16(halo<BoxTile, TileT>()), offset(at)};
    ptx::im2col_load<Way, Rank, F>(tile, map, reversed(at.first), both, barrier, extra);
  }
};

template <int Rank> struct BoxCopies<Traversal::im2col_w, Rank> : WideCopies<Traversal::im2col_w, Rank> {};
template <int Rank> struct BoxCopies<Traversal::im2col_w128, Rank> : WideCopies<Traversal::im2col_w128, Rank> {};

template <CopyForm F, Traversal Way, int Rank>
TMA_DEVICE void prefetch_box(WideCopies<Way, Rank> copies, const void* map, const Im2colWCoord<Rank>& at,
                             const CopyExtra& extra) {
  const u16 both[] = {0, copies.offset(at)};
  ptx::im2col_prefetch<Way, Rank, F>(map, reversed(at.first), both, extra);
}

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
