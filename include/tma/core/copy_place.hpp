#pragma once

#include "config.hpp"
#include "element.hpp"
#include "meta.hpp"
#include "tensor_box.hpp"
#include "traversal.hpp"

namespace tma {

/// Where one tensor copy goes, as its instruction says: whatever the traversal, slowest dimension first.
struct CopyPlace {
  Traversal traversal = Traversal::tiled;
  int       at[5]     = {0, 0, 0, 0, 0};  // rows4: the four rows, then the column
  int       offset[3] = {0, 0, 0};        // im2col: of the dimensions between n and c. The w modes: halo, and offset along w
};

/// Rows that the copy moves, each of `box.row_bytes()`. With im2col_w the halo's are among them.
TMA_HOST_DEVICE constexpr detail::i64 copied_rows(const TensorBox& box, const CopyPlace& place) {
  switch (place.traversal) {
    case Traversal::rows4: return 4;
    case Traversal::im2col: return box.pixels;
    case Traversal::im2col_w: return box.pixels + place.offset[0];
    case Traversal::im2col_w128: return 128 + 4 * detail::i64(place.offset[0]);
    default: return box.rows();
  }
}

/// What a load's barrier counts.
TMA_HOST_DEVICE constexpr detail::i64 copied_bytes(const TensorBox& box, const CopyPlace& place) {
  return copied_rows(box, place) * box.row_bytes();
}

/// Dimensions of the coordinates that an instruction of this traversal takes.
TMA_HOST_DEVICE constexpr int coordinates_of(const TensorBox& box, Traversal traversal) {
  return traversal == Traversal::rows4 ? 5 : box.rank;
}

}  // namespace tma
