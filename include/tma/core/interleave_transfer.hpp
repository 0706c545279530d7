// What copies of interleaved layouts move. The dimensions are n, slices of channels, then d, h and w as far as there are any;
// an element of w is what a pixel has of one slice, 16 or 32 bytes. A copy brings one slice, at its coordinate; that the box
// counts channels there, and the map's type, change nothing.
#pragma once

#include "prologue.hpp"

#include "copy_place.hpp"
#include "transfer.hpp"

namespace tma::inline TMA_ABI {
namespace detail {

// The chunks of one pixel, at byte `global` from the base.
template <class Visit>
TMA_HOST_DEVICE constexpr void for_each_chunk_of_slice(const TensorBox& box, bool inside, u64 global, u32 shared,
                                                       Visit& visit) {
  for (int k = 0; k < slice_bytes(box.interleave); k += 16) {
    const u32 place = swizzle_address(box.swizzle, shared + u32(k));
    visit(Chunk{place & ~15u, i64(global + u64(k)), inside ? 16 : 0, (place & 8) != 0});
  }
}

TMA_HOST_DEVICE constexpr bool is_inside(const TensorBox& box, int d, i64 index) {
  return index >= 0 && index < box.extent[d];
}

}  // namespace detail

/// Calls `visit(chunk)` for every chunk of a copy of a box: as `for_each_chunk`, of a box that is interleaved.
template <class Visit>
TMA_HOST_DEVICE constexpr void for_each_interleaved_chunk(const TensorBox& box, const CopyPlace& place, detail::u32 shared,
                                                          Visit visit) {
  using detail::i64, detail::u32, detail::u64;
  const int inner = box.inner(), unit = slice_bytes(box.interleave), pixels = box.tile_extent(inner);
  for (i64 row = 0, rows = copied_rows(box, place); row < rows; ++row) {
    bool inside = true;
    u64  global = 0;
    i64  rest   = row;
    for (int d = inner - 1; d >= 0; --d) {
      const int extent = d == 1 ? 1 : box.tile_extent(d);
      const i64 index  = place.at[d] + rest % extent * box.element_stride[d];
      rest /= extent;
      inside = inside && detail::is_inside(box, d, index);
      global += u64(index) * u64(box.stride[d]);
    }
    for (int i = 0; i < pixels; ++i, shared += u32(unit)) {
      const i64 x = i64(place.at[inner]) + i64(i) * box.element_stride[inner];
      detail::for_each_chunk_of_slice(box, inside && detail::is_inside(box, inner, x), global + u64(x) * u64(unit), shared,
                                      visit);
    }
  }
}

/// The same of an im2col copy. Corners and offsets are those of d, h and w, in the map and in the instruction as many as
/// without interleave.
template <class Visit>
TMA_HOST_DEVICE constexpr void for_each_interleaved_im2col_chunk(const TensorBox& box, const CopyPlace& place,
                                                                 detail::u32 shared, Visit visit) {
  using detail::i64, detail::u32, detail::u64;
  const int inner = box.inner(), unit = slice_bytes(box.interleave);
  i64       pixel[5] = {place.at[0], place.at[1], place.at[2], place.at[3], place.at[4]};
  for (int n = 0; n < box.pixels; ++n, shared += u32(unit)) {
    bool inside = true;
    u64  global = 0;
    for (int d = 0; d <= inner; ++d) {
      const i64 index = pixel[d] + (d >= 2 ? place.offset[d - 2] : 0);
      inside          = inside && detail::is_inside(box, d, index);
      global += u64(index) * u64(d == inner ? unit : box.stride[d]);
    }
    detail::for_each_chunk_of_slice(box, inside, global, shared, visit);
    int d = inner;
    for (; d >= 2; --d) {
      pixel[d] += box.element_stride[d];
      if (pixel[d] < box.extent[d] + box.upper[d - 1]) break;
      pixel[d] = box.lower[d - 1];
    }
    if (d < 2) pixel[0] += box.element_stride[0];
  }
}

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
