// Copies of four rows anywhere in a tensor of rank 2 (gather4, scatter4), through descriptors of `Rows4<Tile>`: the calls are
// those of tiles, with `tma::rows(...)` for the place. Compute capability 10.
#pragma once

#include "../core/prologue.hpp"

#include "../core/count.hpp"
#include "../core/gather.hpp"
#include "prefetch.hpp"
#include "reduce.hpp"

#include TMA_DETAIL_PTX(_modes)

namespace tma::inline TMA_ABI {

/// Four rows of a tensor and the column at which all of them begin. Rows outside of the tensor are filled by loads and not
/// written by stores; the column times the element size is a multiple of 16 bytes.
struct Rows4Coord {
  int row[4];
  int column;
};

/// `issuer.load(table, tma::rows(i, j, k, l, 0), tile, arrived)`
TMA_HOST_DEVICE constexpr Rows4Coord rows(detail::Int32 r0, detail::Int32 r1, detail::Int32 r2, detail::Int32 r3,
                                          detail::Int32 column) {
  return {{r0, r1, r2, r3}, column};
}

namespace detail {

template <> struct BoxCopies<Traversal::rows4, 2> {
  static constexpr bool known = true, stores = true;
  using Place = Rows4Coord;

  static TMA_DEVICE int                                                       inner(const Place& at) { return at.column; }
  static TMA_DEVICE int&                                                      inner(Place& at) { return at.column; }
  template <class BoxTile, class TileT> static TMA_HOST_DEVICE constexpr bool holds() { return is_same_v<BoxTile, TileT>; }

  static TMA_DEVICE ptx::Coordinates<5> coordinates(const Place& at) {
    return {{at.column, at.row[0], at.row[1], at.row[2], at.row[3]}};
  }

  template <class BoxTile, class TileT, CopyForm F>
  static TMA_DEVICE void load(u32 tile, const void* map, const Place& at, u32 barrier, const CopyExtra& extra) {
    ptx::gather4_load<F>(tile, map, coordinates(at), barrier, extra);
  }
  template <CopyForm F> static TMA_DEVICE void store(const void* map, const Place& at, u32 tile, const CopyExtra& extra) {
    ptx::scatter4_store<F>(map, coordinates(at), tile, extra);
  }
};

template <CopyForm F>
TMA_DEVICE void prefetch_box(BoxCopies<Traversal::rows4, 2> copies, const void* map, const Rows4Coord& at,
                             const CopyExtra& extra) {
  ptx::gather4_prefetch<F>(map, copies.coordinates(at), extra);
}

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
