#pragma once

#include "../core/descriptor.hpp"
#include "driver.hpp"
#include "result.hpp"
#include "rules.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma {
namespace detail {

inline void add_machine(MapRequest& r, const Driver& driver) {
  r.compute_capability = driver.compute_capability;
  r.shared_limit       = driver.shared_limit;
  r.reads_pageable     = driver.reads_pageable;
  if (driver.pointer_kind && r.base) r.base_kind = driver.pointer_kind(r.base);
}

// Bytes from the first to past the last element.
inline i64 span_bytes(const MapRequest& r) {
  i64 span = r.unit_bytes();
  for (int d = 0; d <= r.inner(); ++d) span += (r.units(d) - 1) * r.stride[d];
  return span;
}

// Drivers before 13.2 encode maps of tensors in small allocations wrongly for Blackwell: one bit of the second word makes
// the engine read past the allocation. Devices of capability 9 get the driver's bytes unchanged.
inline void mend_small_tensor(TensorMap& map, const MapRequest& r, const Driver& driver) {
  if (driver.compute_capability >= 100 && driver.version < 13020 && span_bytes(r) < 128 * 1024)
    map.opaque[1] &= ~(u64(1) << 21);
}

inline Error refused(int status, const MapRequest& r, const Driver& driver) {
  Text all;
  for (int d = 0; d < r.rank; ++d)
    all.append(", dimension %d: extent %lld, stride %lld bytes, box %d, element stride %d", d, r.extent[d], r.stride[d],
               r.box[d], r.element_stride[d]);
  if (r.is_im2col()) {
    all.append(", im2col mode %d, %d pixels", int(r.traversal), r.pixels);
    for (int d = 1; d < r.inner(); ++d) all.append(", corners of dimension %d: %d and %d", d, r.lower[d], r.upper[d]);
  }
  return Error(
      ErrorKind::encode_refused,
      "tma: the driver (CUDA %d) refused a tensor map that breaks no known rule: status %d. %s, rank %d, base %p%s, "
      "interleave %d, swizzle %s, promotion %d, fill %d\n",
      driver.version, status, element_name(r.type), r.rank, r.base, all.c_str(), int(r.interleave), swizzle_name(r.swizzle),
      int(r.promotion), int(r.fill));
}

inline constexpr int no_context = 201;  // CUDA_ERROR_INVALID_CONTEXT

// The one place where our order of dimensions becomes the driver's.
struct FastestFirst {
  u64      extents[5], strides[5];
  unsigned box[5], element_strides[5];
  int      lower[3] = {}, upper[3] = {};

  explicit FastestFirst(const MapRequest& r) {
    for (int i = 0; i < r.rank; ++i) {
      const int d        = r.rank - 1 - i;
      extents[i]         = u64(r.extent[d]);
      box[i]             = unsigned(r.box[d]);
      element_strides[i] = unsigned(r.element_stride[d]);
      if (i > 0) strides[i - 1] = u64(r.stride[d]);
      if (i > 0 && d > 0) lower[i - 1] = r.lower[d], upper[i - 1] = r.upper[d];
    }
  }
};

// What all kinds of maps have in common: `ask` makes the driver's call.
template <class Ask> Error encode_by(Ask ask, TensorMap& map, const MapRequest& r, const Driver& driver) {
  int status = ask();
  if (status == no_context && cudaFree(nullptr) == cudaSuccess) status = ask();  // the runtime makes its context late
  if (status != 0) return refused(status, r, driver);
  mend_small_tensor(map, r, driver);
  return {};
}

inline Error encode_tiled(TensorMap& map, const MapRequest& r, const Driver& driver) {
  const FastestFirst a(r);
  return encode_by(
      [&] {
        return driver.encode_tiled(&map, int(r.type), unsigned(r.rank), const_cast<void*>(r.base), a.extents, a.strides,
                                   a.box, a.element_strides, int(r.interleave), int(r.swizzle), int(r.promotion),
                                   int(r.fill));
      },
      map, r, driver);
}

// How a kind of map is judged and made.
struct MapKind {
  Report (*check)(const MapRequest&);
  Error (*encode)(TensorMap&, const MapRequest&, const Driver&);
};

inline constexpr MapKind tiled_map = {tma::check, encode_tiled};

// `size`: bytes of an element, or of a unit of packed ones, in global memory; `granule`: of how many the innermost coordinate
// is a multiple.
[[nodiscard]] inline Report check_coord(const int* at, int rank, int size, int granule, bool store) {
  Report    report;
  const i64 bytes = i64(at[rank - 1]) * size;
  if (at[rank - 1] % granule != 0)
    report.error(
        "M8",
        "coordinate[%d]|%d elements (byte %lld)|the innermost coordinate is a multiple of %d bytes (%d elements); the "
        "hardware stops the kernel with an illegal instruction|"
        "start the tile at the multiple before and use the part that is wanted; a halo goes into a wider tile",
        rank - 1, at[rank - 1], bytes, granule * size, granule);
  for (int d = 0; store && d < rank; ++d)
    if (at[d] < 0)
      report.error("M9",
                   "coordinate[%d]|%d|a store starts inside the tensor: PTX defines negative coordinates for loads only|"
                   "store a smaller tile, or move the tile inside",
                   d, at[d]);
  return report;
}

// A place for a map, at a multiple of 64 by hand: not every compiler aligns a temporary as its type asks (g++ 13 without
// optimisation does not), and the driver's text wants it.
class AlignedMap {
public:
  TensorMap& get() { return *reinterpret_cast<TensorMap*>((reinterpret_cast<std::size_t>(room_) + 63) / 64 * 64); }

private:
  unsigned char room_[sizeof(TensorMap) + 63];
};

// Rules first: they need no machine, and a broken one is worth more than "no driver".
inline Error make_map(TensorMap& map, MapRequest request, const Driver* given, const MapKind& kind) {
  AlignedMap made;
  request.destination = &made.get();
  Driver        system;
  const Error   no_machine = given ? Error() : system_driver(system);
  const Driver& driver     = given ? *given : system;
  if (!no_machine) add_machine(request, driver);
  const Report report = kind.check(request);
  if (!report.ok()) return Error("this tensor cannot have a descriptor", report);
  if (no_machine) return no_machine;
  const Error error = kind.encode(made.get(), request, driver);
  if (!error) std::memcpy(&map, &made.get(), sizeof map);
  return error;
}

inline void make_or_throw(TensorMap& map, const MapRequest& request, const MapKind& kind) {
  if (const Error error = make_map(map, request, nullptr, kind)) raise(error);
}

template <class Descriptor>
Result<Descriptor> make(const MapRequest& request, const Driver* given, const Descriptor& blank, const MapKind& kind) {
  Descriptor descriptor = blank;
  if (const Error error = make_map(DescriptorAccess::map(descriptor), request, given, kind)) return error;
  return descriptor;
}

inline Report check_here(MapRequest r, const MapKind& kind) {
  Driver driver;
  if (!system_driver(driver)) add_machine(r, driver);
  return kind.check(r);
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
  return detail::check_here(detail::tile_request<TileT>(view, options), detail::tiled_map);
}

/// The descriptor of `view` in tiles of `TileT`, or the error: broken rules (all of them), or no machine to make it on.
/// `driver` stands in for the real one in tests.
template <class TileT = void, class T, int Rank>
  requires(!detail::is_im2col_box<TileT>)
[[nodiscard]] Result<TmaDescriptor<T, Rank, TileT>>
try_make_descriptor(const TensorView<T, Rank>& view, const Options& options = {}, const Driver* driver = nullptr) {
  return detail::make(detail::tile_request<TileT>(view, options), driver, TmaDescriptor<T, Rank, TileT>(),
                      detail::tiled_map);
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
TmaDescriptor<T, Rank, TileT> make_descriptor(const TensorView<T, Rank>& view, const Options& options = {}) {
  TmaDescriptor<T, Rank, TileT> descriptor;
  detail::make_or_throw(detail::DescriptorAccess::map(descriptor), detail::tile_request<TileT>(view, options),
                        detail::tiled_map);
  return descriptor;
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
  return detail::make(r, driver, descriptor, detail::tiled_map);
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

}  // namespace tma

TMA_DETAIL_COLD_END
