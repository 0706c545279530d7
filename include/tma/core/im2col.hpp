#pragma once

#include "prologue.hpp"

#include "box_kind.hpp"

namespace tma::inline TMA_ABI {

/// A box kind, the third argument of a `TmaDescriptor`: copies fill the tile with pixels of a convolution's input.
///
///     using Column = tma::Tile<half, tma::Shape<64, 32>, tma::Swizzle::bytes_64>;       // 64 pixels of 32 channels
///     tma::TmaDescriptor<const half, 4, tma::Im2col<Column>>                            // of an [n][h][w][c] tensor
///
/// The tensor has rank 3 to 5: [n][w][c], [n][h][w][c] or [n][d][h][w][c]. The tile has rank 2, pixels by channels; pixels are
/// at most 1024. A copy starts at one pixel and goes on along w, then h, d and n, inside the bounding box that the descriptor
/// was made with (`Im2colBox`). Element strides are the convolution's; the number of pixels does not depend on them.
template <class TileT> struct Im2col;

/// The same, walking along w alone: pixels past the end of the bounding box in w are a halo. Compute capability 10.
template <class TileT> struct Im2colW;

/// The same, where one copy always brings 128 pixels. Compute capability 10.
template <class TileT> struct Im2colW128;

/// The corners of the bounding box that the first element of a filter visits, slowest dimension first: {w}, {h, w} or
/// {d, h, w}. Each is an offset, `lower` from the tensor's first pixel and `upper` from its last:
///
///     lower = -padding, upper = padding - (filter - 1) * dilation
///
/// Rank 3: -32768 to 32767; rank 4: -128 to 127; rank 5: -16 to 15.
template <int Rank> struct Im2colBox {
  static_assert(Rank >= 3 && Rank <= 5,
                "tma::Im2colBox: im2col has rank 3 to 5: [n][w][c], [n][h][w][c] or [n][d][h][w][c]");
  static constexpr int dimensions = Rank >= 3 && Rank <= 5 ? Rank - 2 : 1;

  int lower[dimensions] = {};
  int upper[dimensions] = {};
};

/// The same for the kinds that walk along w alone, at every rank: -32768 to 32767.
struct Im2colWBox {
  int lower = 0;
  int upper = 0;
};

namespace detail {

template <class TileT> inline constexpr bool is_im2col_box<Im2col<TileT>>     = true;
template <class TileT> inline constexpr bool is_im2col_box<Im2colW<TileT>>    = true;
template <class TileT> inline constexpr bool is_im2col_box<Im2colW128<TileT>> = true;

template <class Box, int Rank> struct CornersOf {
  using type = Im2colWBox;
};
template <class TileT, int Rank> struct CornersOf<Im2col<TileT>, Rank> {
  using type = Im2colBox<Rank>;
};

template <class TileT> struct BoxKind<Im2col<TileT>> : RowBoxKind<TileT, Traversal::im2col, 3, 5> {
  static TMA_HOST_DEVICE constexpr bool check() {
    static_assert(is_rows_of<TileT>(1, 1024),
                  "tma::Im2col: the tile has rank 2, pixels by channels, and at most 1024 pixels: "
                  "tma::Im2col<tma::Tile<T, tma::Shape<pixels, channels>>>");
    return true;
  }
};

template <class TileT> struct BoxKind<Im2colW<TileT>> : RowBoxKind<TileT, Traversal::im2col_w, 3, 5> {
  static TMA_HOST_DEVICE constexpr bool check() {
    static_assert(is_rows_of<TileT>(1, 1024),
                  "tma::Im2colW: the tile has rank 2, pixels by channels, and at most 1024 pixels: "
                  "tma::Im2colW<tma::Tile<T, tma::Shape<pixels, channels>, swizzle>>");
    return true;
  }
};

template <class TileT> struct BoxKind<Im2colW128<TileT>> : RowBoxKind<TileT, Traversal::im2col_w128, 3, 5> {
  static TMA_HOST_DEVICE constexpr bool check() {
    static_assert(is_rows_of<TileT>(128, 128),
                  "tma::Im2colW128: the tile has rank 2 and 128 pixels, which is what a copy of this kind brings: "
                  "tma::Im2colW128<tma::Tile<T, tma::Shape<128, channels>, swizzle>>");
    return true;
  }
};

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
