// What copies of the other traversals move: pixels of a convolution's input, and rows from anywhere.
#pragma once

#include "prologue.hpp"

#include "copy_place.hpp"
#include "transfer.hpp"

namespace tma::inline TMA_ABI {

/// Calls `visit(chunk)` for every chunk of an im2col copy: as `for_each_chunk`, of a box that is im2col.
///
/// The first pixel is at `place.at`; each next one lies an element stride further along w. Past the bounding box in one
/// dimension the walk goes on at its lower corner there, one step further in the next; n has steps, and no end, and im2col_w steps from
/// w to n at once. Offsets are added where a pixel is read, and take no part in the walk. Of im2col_w and im2col_w128 the halo
/// has to be 0: in what order its pixels lie is nowhere said.
template <class Visit>
TMA_HOST_DEVICE constexpr void for_each_im2col_chunk(const TensorBox& box, const CopyPlace& place, detail::u32 shared,
                                                     Visit visit) {
  using detail::i64, detail::u32, detail::u64;
  const bool wide  = place.traversal != Traversal::im2col;
  const int  inner = box.inner(), pitch = box.pitch_bytes(), slowest = wide ? inner - 1 : 1;
  const i64  first = i64(place.at[inner]) * element_bytes(box.type), rows = copied_rows(box, place);
  i64        pixel[4] = {place.at[0], place.at[1], place.at[2], place.at[3]}, shift[4] = {0, 0, 0, 0};
  for (int d = slowest; d < inner; ++d) shift[d] = wide ? place.offset[1] : place.offset[d - 1];
  for (i64 row = 0; row < rows; ++row, shared += u32(pitch)) {
    bool inside = true;
    u64  global = 0;
    for (int d = 0; d < inner; ++d) {
      const i64 index = pixel[d] + shift[d];
      inside          = inside && index >= 0 && index < box.extent[d];
      global += u64(index) * u64(box.stride[d]);
    }
    detail::for_each_chunk_of_row(box, first, inside, global, shared, visit);
    int d = inner - 1;
    for (; d >= slowest; --d) {
      pixel[d] += box.element_stride[d];
      if (pixel[d] < box.extent[d] + box.upper[d]) break;
      pixel[d] = box.lower[d];
    }
    if (d < slowest) pixel[0] += box.element_stride[0];
  }
}

/// Calls `visit(chunk)` for every chunk of a copy of four rows: each is inside or outside by itself.
template <class Visit>
TMA_HOST_DEVICE constexpr void for_each_rows4_chunk(const TensorBox& box, const CopyPlace& place, detail::u32 shared,
                                                    Visit visit) {
  using detail::i64, detail::u32, detail::u64;
  const i64 first = i64(place.at[4]) * element_bytes(box.type);
  for (int row = 0; row < 4; ++row, shared += u32(box.pitch_bytes())) {
    const i64 index = place.at[row];
    detail::for_each_chunk_of_row(box, first, index >= 0 && index < box.extent[0], u64(index) * u64(box.stride[0]), shared,
                                  visit);
  }
}

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
