#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "element.hpp"
#include "interleave.hpp"
#include "meta.hpp"
#include "tensor_box.hpp"
#include "traversal.hpp"

namespace tma::inline TMA_ABI {

/// Where one tensor copy goes, as its instruction says: whatever the traversal, slowest dimension first.
struct CopyPlace {
  Traversal traversal = Traversal::tiled;
  int       at[5]     = {0, 0, 0, 0, 0};  // rows4: the four rows, then the column
  int       offset[3] = {0, 0, 0};        // im2col: of the dimensions between n and c. The w modes: halo, and offset along w
};

/// Bytes of what an interleaved layout has instead of elements: a pixel's part of one slice of channels.
TMA_HOST_DEVICE constexpr int slice_bytes(Interleave layout) {
  return layout == Interleave::bytes_16 ? 16 : layout == Interleave::bytes_32 ? 32 : 0;
}

/// Rows that the copy moves. A row is what lies side by side in global memory: elements, channels of a pixel, or the pixels of
/// a slice along w; of im2col copies of an interleaved layout, one such pixel. With im2col_w the halo's are among them.
TMA_HOST_DEVICE constexpr detail::i64 copied_rows(const TensorBox& box, const CopyPlace& place) {
  switch (place.traversal) {
    case Traversal::rows4: return 4;
    case Traversal::im2col: return box.pixels;
    case Traversal::im2col_w: return box.pixels + place.offset[0];
    case Traversal::im2col_w128: return 128 + 4 * detail::i64(place.offset[0]);
    default: break;
  }
  detail::i64 rows = 1;
  for (int d = 0; d < box.inner(); ++d)
    if (box.interleave == Interleave::none || d != 1) rows *= box.tile_extent(d);  // one slice, whatever the box says
  return rows;
}

/// Bytes of such a row.
TMA_HOST_DEVICE constexpr int copied_row_bytes(const TensorBox& box, const CopyPlace& place) {
  if (box.interleave == Interleave::none) return box.row_bytes();
  const bool pixels = place.traversal >= Traversal::im2col;
  return slice_bytes(box.interleave) * (pixels ? 1 : box.tile_extent(box.inner()));
}

/// From one row in shared memory to the next: rows of interleaved layouts are not padded.
TMA_HOST_DEVICE constexpr int copied_pitch_bytes(const TensorBox& box, const CopyPlace& place) {
  return box.interleave == Interleave::none ? box.pitch_bytes() : copied_row_bytes(box, place);
}

/// What a load's barrier counts.
TMA_HOST_DEVICE constexpr detail::i64 copied_bytes(const TensorBox& box, const CopyPlace& place) {
  return copied_rows(box, place) * copied_row_bytes(box, place);
}

/// Dimensions of the coordinates that an instruction of this traversal takes.
TMA_HOST_DEVICE constexpr int coordinates_of(const TensorBox& box, Traversal traversal) {
  return traversal == Traversal::rows4 ? 5 : box.rank;
}

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
