#pragma once

#include "../core/prologue.hpp"

#include "make_map.hpp"
#include "result.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {
namespace detail {

// What settles the rules that `rules::tiled_plain` leaves out; that its rows fit the swizzle every tile's type says.
template <class T, class Box> inline constexpr const MapKind& map_of_tiles = tiled_map;
template <class T, class E, class ShapeT, Swizzle Mode>
  requires(!is_packed(element_type<T>) && Mode <= Swizzle::bytes_128)
inline constexpr const MapKind& map_of_tiles<T, Tile<E, ShapeT, Mode>> = plain_map;

// The same where there are no options.
template <class T, class Box>
inline constexpr const MapKind& map_of_bare_tiles = &map_of_tiles<T, Box> == &plain_map ? bare_map : map_of_tiles<T, Box>;

template <class Descriptor>
Result<Descriptor> make(MapRequest&& request, const Driver* given, const Descriptor& blank, const MapKind& kind) {
  Descriptor descriptor = blank;
  if (const Error error = make_map(DescriptorAccess::map(descriptor), request, given, kind)) return error;
  return descriptor;
}

template <class Box, class T, int Rank> MapRequest tile_request(const TensorView<T, Rank>& view, const Options& options) {
  using Kind = BoxKind<Box>;
  static_assert(Kind::known, "tma::make_descriptor: name the tile: make_descriptor<Tile>(view)");
  MapRequest r = request_of(view, options);
  if constexpr (Kind::known) {
    static_assert(check_tensor<remove_cv_t<T>, Rank, Box>());
    using TileT = box_tile_t<Box>;
    if constexpr (Kind::traversal == Traversal::rows4) set_rows4(r, TileT::row_elements, TileT::swizzle);
    else set_tile(r, TileT::shape::extents, TileT::swizzle);
    count_elements<T>(r);
  }
  return r;
}

template <class TileT, class T, int Rank>
TmaDescriptor<T, Rank, TileT> descriptor_of(const TensorView<T, Rank>& view, const Options& options, const MapKind& kind) {
  TmaDescriptor<T, Rank, TileT> descriptor;
  make_or_throw(DescriptorAccess::map(descriptor), tile_request<TileT>(view, options), kind);
  return descriptor;
}

template <class T, int Rank>
MapRequest box_request(const TensorView<T, Rank>& view, const Index64 (&box)[Rank], Swizzle swizzle,
                       const Options& options) {
  MapRequest r = request_of(view, options);
  int        extents[Rank];
  for (int d = 0; d < Rank; ++d) {
    const i64 b = box[d].value;
    extents[d]  = b > 0x7fffffff ? 0x7fffffff : b < -0x7fffffff ? -0x7fffffff : int(b);
  }
  set_tile(r, extents, swizzle);
  return r;
}

}  // namespace detail

/// Every rule that a descriptor of `view` in tiles of `TileT` would break. Needs no GPU; with one, its limits and the
/// kind of memory are looked at as well.
template <class TileT = void, class T, int Rank>
  requires(!detail::is_im2col_box<TileT>)
[[nodiscard]] Report check(const TensorView<T, Rank>& view, const Options& options = {}) {
  return detail::check_here(detail::tile_request<TileT>(view, options), detail::map_of_tiles<T, TileT>);
}

/// The descriptor of `view` in tiles of `TileT`, or the error: broken rules (all of them), or no machine to make it on.
/// `driver` stands in for the real one in tests.
template <class TileT = void, class T, int Rank>
  requires(!detail::is_im2col_box<TileT>)
[[nodiscard]] Result<TmaDescriptor<T, Rank, TileT>>
try_make_descriptor(const TensorView<T, Rank>& view, const Options& options = {}, const Driver* driver = nullptr) {
  return detail::make(detail::tile_request<TileT>(view, options), driver, TmaDescriptor<T, Rank, TileT>(),
                      detail::map_of_tiles<T, TileT>);
}

/// The same, throwing `tma::Error`.
///
///     auto in = tma::make_descriptor<Tile>(tma::TensorView{a, {rows, columns}});
///
/// `make_descriptor<Rows4<Tile>>(view)` is the descriptor of four rows (core/gather.hpp).
///
/// Costs a driver call; the result is valid as long as the tensor stays where it is. Make it once, not once a launch.
template <class TileT = void, class T, int Rank>
  requires(!detail::is_im2col_box<TileT>)
TmaDescriptor<T, Rank, TileT> make_descriptor(const TensorView<T, Rank>& view, const Options& options) {
  return detail::descriptor_of<TileT>(view, options, detail::map_of_tiles<T, TileT>);
}
/// The same without options: of a named tile only the rules are asked that its type leaves open.
template <class TileT = void, class T, int Rank>
  requires(!detail::is_im2col_box<TileT>)
TmaDescriptor<T, Rank, TileT> make_descriptor(const TensorView<T, Rank>& view) {
  return detail::descriptor_of<TileT>(view, {}, detail::map_of_bare_tiles<T, TileT>);
}

/// A descriptor whose box, in shared memory and slowest first, is known at run time only.
///
///     auto in = tma::make_descriptor(view, {rows_per_tile, 64}, tma::Swizzle::bytes_128);
template <class T, int Rank>
[[nodiscard]] Result<TmaDescriptor<T, Rank>>
try_make_descriptor(const TensorView<T, Rank>& view, const detail::Index64 (&box)[Rank], Swizzle swizzle = Swizzle::none,
                    const Options& options = {}, const Driver* driver = nullptr) {
  MapRequest             r = detail::box_request(view, box, swizzle, options);
  TmaDescriptor<T, Rank> descriptor;
  int                    extents[Rank];
  for (int d = 0; d < Rank; ++d) extents[d] = int(box[d].value);
  // What does not fit is refused below, and so is all else that is out of range.
  const detail::i64 footprint = r.footprint_bytes();
  if (footprint <= r.shared_limit)
    detail::DescriptorAccess::set_box(descriptor, extents, int(r.payload_bytes()), int(footprint), swizzle);
  return detail::make(static_cast<MapRequest&&>(r), driver, descriptor, detail::tiled_map);
}

template <class T, int Rank>
TmaDescriptor<T, Rank> make_descriptor(const TensorView<T, Rank>& view, const detail::Index64 (&box)[Rank],
                                       Swizzle swizzle = Swizzle::none, const Options& options = {}) {
  return try_make_descriptor(view, box, swizzle, options).value();
}

template <class T, int Rank, int Other>
  requires(Other != Rank)
TmaDescriptor<T, Rank> make_descriptor(const TensorView<T, Rank>&, const detail::Index64 (&)[Other], Swizzle = Swizzle::none,
                                       const Options& = {}) {
  static_assert(Other == Rank, "tma::make_descriptor: the box has one extent for each dimension of the tensor, slowest "
                               "first");
  return {};
}

// For who has not included host/im2col.hpp, which has these.
namespace detail {

template <class Box> inline constexpr bool makes_im2col = false;

template <class Box> constexpr bool has_im2col() {
  static_assert(always_false<Box>, "tma::make_descriptor: what makes im2col descriptors is in a header of its own: #include "
                                   "<tma/host/im2col.hpp>");
  return false;
}

}  // namespace detail

template <class Box, class T, int Rank>
  requires(detail::is_im2col_box<Box> && !detail::makes_im2col<Box>)
Report check(const TensorView<T, Rank>&, const corners_of<Box, Rank>& = {}, const Options& = {}) {
  static_cast<void>(detail::has_im2col<Box>());
  return {};
}

template <class Box, class T, int Rank>
  requires(detail::is_im2col_box<Box> && !detail::makes_im2col<Box>)
Result<TmaDescriptor<T, Rank, Box>> try_make_descriptor(const TensorView<T, Rank>&, const corners_of<Box, Rank>&,
                                                        const Options& = {}, const Driver* = nullptr) {
  static_cast<void>(detail::has_im2col<Box>());
  return TmaDescriptor<T, Rank, Box>();
}

template <class Box, class T, int Rank>
  requires(detail::is_im2col_box<Box> && !detail::makes_im2col<Box>)
TmaDescriptor<T, Rank, Box> make_descriptor(const TensorView<T, Rank>&, const corners_of<Box, Rank>& = {},
                                            const Options& = {}) {
  static_cast<void>(detail::has_im2col<Box>());
  return {};
}

/// What is wrong with a tile's position, which the hardware answers with an illegal instruction and no host call can
/// know: the innermost index times the element size is a multiple of 16 bytes (rule M8), and a store starts at 0 or
/// above in every dimension (rule M9).
template <class TileT> [[nodiscard]] Report check_coord(const Coord<TileT::rank>& at, bool store = false) {
  using T = typename TileT::value_type;
  return detail::check_coord(at.index, TileT::rank, global_bytes<T>, coordinate_granule<T>, store);
}

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
