#pragma once

#include "../core/prologue.hpp"

#include "../core/tensor_box.hpp"
#include "error.hpp"
#include "options.hpp"
#include "tensor_view.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

/// Where a pointer points, as far as the machine can tell.
enum class TMA_PUBLIC PointerKind : int { unknown, device, managed, pinned_host, pageable_host };

/// All that decides whether a tensor map can be made and what it will do: what the rules judge. Unlike those of a box that
/// was found right, its sizes are told for any numbers.
struct TMA_PUBLIC MapRequest : TensorBox {
  const void* base      = nullptr;
  Promotion   promotion = Promotion::none;
  bool        stores    = false;  // a store may go through the map
  bool        overflow  = false;  // some number did not fit 64 bits

  detail::SourceLine line;  // of the view, for errors

  // The machine, where it is known.
  const void* destination        = nullptr;  // where the map will be written
  PointerKind base_kind          = PointerKind::unknown;
  bool        reads_pageable     = false;  // the device reads pageable host memory
  int         device             = -1;     // the current one, where the tensor is on another
  int         owner              = -1;     // that other; -1: the same one, or not known
  bool        readable           = true;   // by the current device
  bool        writable           = true;
  bool        peers              = true;        // it could be, once access is enabled
  int         compute_capability = 0;           // 90 for 9.0
  int         shared_limit       = 227 * 1024;  // bytes of shared memory a block can have

  /// The dimensions that exist, whatever `rank` says.
  int inner() const { return (rank < 1 ? 1 : rank > 5 ? 5 : rank) - 1; }
  /// Bytes of an element in shared memory; 0 where the type is packed or unknown.
  int element_size() const { return element_bytes(type); }
  /// Bytes of global memory of an element, or of 16 packed ones; 0 where the type is unknown.
  int unit_bytes() const {
    if (!is_packed(type)) return element_size();
    return type == ElementType::u6_align16 ? 12 : 8;
  }
  /// What strides step over along a dimension: elements, or 16 packed ones.
  detail::i64 units(int d) const { return d == inner() && is_packed(type) ? (extent[d] + 15) / 16 : extent[d]; }
  /// Elements that a copy brings along a dimension.
  int tile_extent(int d) const {
    const int es = element_stride[d] < 1 || is_im2col() ? 1 : element_stride[d];
    return int((detail::i64(box[d]) + es - 1) / es);
  }
  /// Bytes of a row of the tile without gaps. The 16-byte packed types take a byte an element; of 4-bit ones without gaps
  /// two share one.
  detail::i64 tile_row_bytes() const {
    const detail::i64 elements = tile_extent(inner()) < 1 ? 0 : tile_extent(inner());
    return element_size() ? elements * element_size() : type == ElementType::u4_align8 ? elements / 2 : elements;
  }
  /// Bytes that a copy of the tile moves.
  detail::i64 payload_bytes() const { return rows_of(tile_row_bytes()); }
  /// Bytes of shared memory that the tile occupies: a row narrower than its swizzle is padded to it.
  detail::i64 footprint_bytes() const {
    const detail::i64 row = tile_row_bytes(), span = swizzle_span(swizzle);
    return rows_of(row < span ? span : row);
  }

private:
  // As many bytes a row; 2^62 stands for all that does not fit. Of extents below 1 the rules speak.
  detail::i64 rows_of(detail::i64 bytes) const {
    const detail::i64 copied = is_im2col() ? pixels : traversal == Traversal::rows4 ? 4 : 1;
    if (__builtin_mul_overflow(bytes, copied < 1 ? 1 : copied, &bytes)) return detail::i64(1) << 62;
    for (int d = 0; d < inner(); ++d)
      if (__builtin_mul_overflow(bytes, detail::i64(tile_extent(d) < 1 ? 1 : tile_extent(d)), &bytes))
        return detail::i64(1) << 62;
    return bytes;
  }
};

namespace detail {

#if TMA_HAS_HOST_TEXT

// The stride of a dimension of extent 1 is never used to find an element, but the driver looks at it: put a legal one in
// its place. The innermost stride of an extent-1 row is likewise as good as dense.
inline void normalise_unused_strides(MapRequest& r) {
  const int inner = r.inner();
  if (r.extent[inner] == 1 && r.unit_bytes() > 0) r.stride[inner] = r.unit_bytes();
  for (int d = inner - 1; d >= 0; --d) {
    if (r.extent[d] != 1) continue;
    // What a dense layout padded to whole 32-byte pieces would have.
    i64 stride;
    if (__builtin_mul_overflow(r.stride[d + 1], r.extent[d + 1], &stride) || stride < 0 || stride >= (i64(1) << 40) - 32)
      stride = 32;
    r.stride[d] = (stride + 31) / 32 * 32;
    if (r.stride[d] == 0) r.stride[d] = 32;
  }
}

// Which tensor an error is about: `the tensor "weights" at gemm.cu:42 (f32, 1000 x 1733)`.
inline Text tensor_words(const MapRequest& r) {
  Text text;
  if (!r.line.file && !r.line.name) {
    text.append("this tensor");
    return text;
  }
  text.append("the tensor");
  if (r.line.name) text.append(" \"%s\"", r.line.name);
  if (r.line.file) {
    const char* const slash = std::strrchr(r.line.file, '/');
    text.append(" at %s:%d", slash ? slash + 1 : r.line.file, r.line.line);
  }
  text.append(" (%s", element_name(r.type));
  for (int d = 0; d <= r.inner(); ++d) text.append(d ? " x %lld" : ", %lld", r.extent[d]);
  text.append(")");
  return text;
}

// "tma: the tensor ... cannot ...: 2 rules broken", and the rules.
inline Error tensor_error(const MapRequest& r, const char* what, const Report& report) {
  Text head = tensor_words(r);
  head.append(" %s", what);
  return Error(head.c_str(), report);
}

// The box that makes the engine bring `extent` elements, `element_stride` apart.
constexpr i64 box_for(int extent, int element_stride) { return extent < 1 ? extent : i64(extent - 1) * element_stride + 1; }

inline void set_tile(MapRequest& r, const int* tile_extents, Swizzle swizzle) {
  r.swizzle = swizzle;
  for (int d = 0; d < r.rank; ++d) {
    // Without interleave the innermost element stride is ignored by the engine: the box stays dense there.
    const bool dense = d == r.inner() && r.interleave == Interleave::none;
    const i64  box   = dense ? tile_extents[d] : box_for(tile_extents[d], r.element_stride[d]);
    r.box[d]         = box > 0x7fffffff ? 0x7fffffff : box < -0x7fffffff ? -0x7fffffff : int(box);
  }
}

// One row of four: the instruction brings the others.
inline void set_rows4(MapRequest& r, int columns, Swizzle swizzle) {
  r.traversal = Traversal::rows4;
  r.swizzle   = swizzle;
  r.box[0]    = 1;
  r.box[1]    = columns;
}

#else

void normalise_unused_strides(MapRequest& r);
void set_tile(MapRequest& r, const int* tile_extents, Swizzle swizzle);
void set_rows4(MapRequest& r, int columns, Swizzle swizzle);

#endif  // TMA_HAS_HOST_TEXT

template <class T, int Rank> MapRequest request_of(const TensorView<T, Rank>& view, const Options& options) {
  MapRequest r;
  r.type       = element_type<T>;
  r.rank       = Rank;
  r.base       = view.data();
  r.promotion  = options.promotion;
  r.fill       = options.fill;
  r.interleave = options.interleave;
  r.stores     = !is_const_v<T>;
  r.overflow   = view.overflowed();
  r.line       = view.line();
  for (int d = 0; d < Rank; ++d) {
    r.extent[d] = view.extent(d);
    r.stride[d] = view.stride_bytes(d);
  }
  // Of dimensions that the tensor does not have as well: rule T12 refuses them.
  for (int d = 0; d < 5; ++d) r.element_stride[d] = options.element_strides[d] == 0 ? 1 : options.element_strides[d];
  normalise_unused_strides(r);
  return r;
}

// From units of packed elements to elements, which maps and rules count: the one place. The request is complete before.
template <class T> void count_elements(MapRequest& r) {
  constexpr int n = elements_per_unit<T>;
  if constexpr (n > 1) {
    i64& extent = r.extent[r.inner()];
    r.overflow |= __builtin_mul_overflow(extent, n, &extent);
    r.box[r.inner()] *= n;
  }
}

}  // namespace detail
}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
