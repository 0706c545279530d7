#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "element.hpp"
#include "fill.hpp"
#include "interleave.hpp"
#include "meta.hpp"
#include "swizzle.hpp"
#include "traversal.hpp"

namespace tma::inline TMA_ABI {

/// What a tensor map says: the tensor, its address left out, and the box of it that one copy moves. Slowest dimension first.
///
/// The sizes below are those of boxes whose rows are elements side by side (`is_dense`), in numbers that the rules of a
/// tensor map allow.
struct TensorBox {
  ElementType type              = ElementType::u8;
  int         rank              = 1;
  detail::i64 extent[5]         = {1, 1, 1, 1, 1};
  detail::i64 stride[5]         = {0, 0, 0, 0, 0};  // bytes; the innermost is never looked at: a row has no gaps
  int         box[5]            = {1, 1, 1, 1, 1};  // in global memory: what element strides skip is counted
  int         element_stride[5] = {1, 1, 1, 1, 1};
  Interleave  interleave        = Interleave::none;
  Swizzle     swizzle           = Swizzle::none;
  Fill        fill              = Fill::zero;

  // Im2col: the box is `pixels` rows of box[inner()] channels, its other extents are 1, and element strides are those of the
  // convolution. Corners belong to the dimensions between n and c, 1 to rank - 2; the w modes have those of rank - 2 alone.
  Traversal traversal = Traversal::tiled;  // im2col or not: nothing in a map tells rows4 from tiled
  int       pixels    = 1;
  int       lower[5]  = {0, 0, 0, 0, 0};
  int       upper[5]  = {0, 0, 0, 0, 0};

  TMA_HOST_DEVICE constexpr bool is_im2col() const { return traversal >= Traversal::im2col; }
  /// False for interleaved layouts and packed types.
  TMA_HOST_DEVICE constexpr bool is_dense() const { return interleave == Interleave::none && element_bytes(type) > 0; }
  TMA_HOST_DEVICE constexpr int  inner() const { return rank - 1; }

  /// Elements that a copy moves along a dimension. The engine ignores the innermost element stride.
  TMA_HOST_DEVICE constexpr int tile_extent(int d) const {
    const int step = is_im2col() || (d == inner() && interleave == Interleave::none) ? 1 : element_stride[d];
    return (box[d] + step - 1) / step;
  }
  /// Rows of the tile in shared memory.
  TMA_HOST_DEVICE constexpr detail::i64 rows() const {
    detail::i64 n = is_im2col() ? pixels : 1;
    for (int d = 0; d < inner(); ++d) n *= tile_extent(d);
    return n;
  }
  TMA_HOST_DEVICE constexpr int row_bytes() const { return tile_extent(inner()) * element_bytes(type); }
  /// From one row in shared memory to the next: a row narrower than the swizzle is padded to its span.
  TMA_HOST_DEVICE constexpr int pitch_bytes() const {
    return swizzle_span(swizzle) > row_bytes() ? swizzle_span(swizzle) : row_bytes();
  }
  /// What a load's barrier counts, wherever the box lies: bytes that are filled count, padding does not.
  TMA_HOST_DEVICE constexpr detail::i64 payload_bytes() const { return rows() * row_bytes(); }
  /// Shared memory from the first row to the end of the last one's pitch.
  TMA_HOST_DEVICE constexpr detail::i64 footprint_bytes() const { return rows() * pitch_bytes(); }
};

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
