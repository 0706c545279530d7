// Descriptors of im2col copies. Not in tma.hpp: include it where convolutions are.
#pragma once

#include "../core/prologue.hpp"

#include "../core/im2col.hpp"
#include "make_descriptor.hpp"
#include "rules/im2col.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

/// `cuTensorMapEncodeIm2col` by its plain types: map, element type, rank, base, extents, strides (all but the first), lower and
/// upper corners, channels, pixels, element strides, interleave, swizzle, promotion, fill. Fastest first.
using EncodeIm2col = int (*)(void*, int, unsigned, void*, const detail::u64*, const detail::u64*, const int*, const int*,
                             unsigned, unsigned, const unsigned*, int, int, int, int);

/// `cuTensorMapEncodeIm2colWide`: one lower and one upper corner, and a mode between interleave and swizzle: 0 for w, 1 for
/// w128.
using EncodeIm2colWide = int (*)(void*, int, unsigned, void*, const detail::u64*, const detail::u64*, int, int, unsigned,
                                 unsigned, const unsigned*, int, int, int, int, int);

namespace detail {

#if TMA_HAS_HOST_TEXT
inline Error encode_im2col(TensorMap& map, const MapRequest& r, const Driver& driver) {
  const bool         wide  = r.traversal != Traversal::im2col;
  const DriverCall   call  = wide ? DriverCall::encode_im2col_wide : DriverCall::encode_im2col;
  void* const        entry = driver.find ? driver.find(call) : nullptr;
  const FastestFirst a(r);
  if (!entry) return call_missing(call, driver);
  return encode_by(
      [&] {
        if (wide)
          return reinterpret_cast<EncodeIm2colWide>(entry)(
              &map, int(r.type), unsigned(r.rank), const_cast<void*>(r.base), a.extents, a.strides, a.lower[0], a.upper[0],
              a.box[0], unsigned(r.pixels), a.element_strides, int(r.interleave), r.traversal == Traversal::im2col_w128,
              int(r.swizzle), int(r.promotion), int(r.fill));
        return reinterpret_cast<EncodeIm2col>(entry)(
            &map, int(r.type), unsigned(r.rank), const_cast<void*>(r.base), a.extents, a.strides, a.lower, a.upper, a.box[0],
            unsigned(r.pixels), a.element_strides, int(r.interleave), int(r.swizzle), int(r.promotion), int(r.fill));
      },
      map, r, driver);
}
#else
Error encode_im2col(TensorMap& map, const MapRequest& r, const Driver& driver);
#endif

template <class Box>
  requires is_im2col_box<Box>
inline constexpr bool makes_im2col<Box> = true;

inline constexpr MapKind im2col_map = {check_im2col, encode_im2col};

template <class Box, class T, int Rank, class Corners>
MapRequest im2col_request(const TensorView<T, Rank>& view, const Corners& corners, const Options& options) {
  static_assert(check_tensor<remove_cv_t<T>, Rank, Box>());
  using TileT      = box_tile_t<Box>;
  MapRequest r     = request_of(view, options);
  r.traversal      = BoxKind<Box>::traversal;
  r.swizzle        = TileT::swizzle;
  r.pixels         = TileT::rows;
  r.box[r.inner()] = TileT::row_elements;
  if constexpr (is_same_v<Corners, Im2colWBox>) {
    r.lower[r.inner() - 1] = corners.lower;
    r.upper[r.inner() - 1] = corners.upper;
  } else {
    for (int d = 0; d < Corners::dimensions; ++d) r.lower[d + 1] = corners.lower[d], r.upper[d + 1] = corners.upper[d];
  }
  count_elements<T>(r);
  return r;
}

}  // namespace detail

/// Every rule that an im2col descriptor of `view` would break.
template <class Box, class T, int Rank>
  requires(detail::is_im2col_box<Box>)
[[nodiscard]] Report check(const TensorView<T, Rank>& view, const corners_of<Box, Rank>& corners = {},
                           const Options& options = {}) {
  return detail::check_here(detail::im2col_request<Box>(view, corners, options), detail::im2col_map);
}

/// The im2col descriptor of `view`, or the error.
template <class Box, class T, int Rank>
  requires(detail::is_im2col_box<Box>)
[[nodiscard]] Result<TmaDescriptor<T, Rank, Box>>
try_make_descriptor(const TensorView<T, Rank>& view, const corners_of<Box, Rank>& corners, const Options& options = {},
                    const Driver* driver = nullptr) {
  return detail::make(detail::im2col_request<Box>(view, corners, options), driver, TmaDescriptor<T, Rank, Box>(),
                      detail::im2col_map);
}

/// The same, throwing `tma::Error`.
///
///     auto in = tma::make_descriptor<tma::Im2col<Column>>(tma::TensorView{a, {n, h, w, c}},
///                                                         {.lower = {-1, -1}, .upper = {-1, -1}},       // 3 x 3, padding 1
///                                                         {.element_strides = {1, 2, 2, 1}});           // stride 2
///
/// Corners and element strides are slowest first, one corner for each dimension between n and c. Element strides are those
/// of the convolution: a copy brings as many pixels as the tile has, whatever they are. Without corners the bounding box is
/// the tensor. A view of elements that are not const
/// may be stored to, and then its bounding box lies inside the tensor (rule I10).
///
/// `Im2colW` and `Im2colW128` need compute capability 10 and a driver of CUDA 12.8, and one of the swizzles bytes_64,
/// bytes_128 and bytes_128_atom_32.
template <class Box, class T, int Rank>
  requires(detail::is_im2col_box<Box>)
TmaDescriptor<T, Rank, Box> make_descriptor(const TensorView<T, Rank>& view, const corners_of<Box, Rank>& corners = {},
                                            const Options& options = {}) {
  TmaDescriptor<T, Rank, Box> descriptor;
  detail::make_or_throw(detail::DescriptorAccess::map(descriptor), detail::im2col_request<Box>(view, corners, options),
                        detail::im2col_map);
  return descriptor;
}

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
