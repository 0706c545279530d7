#pragma once

#include "../core/descriptor.hpp"
#include "driver.hpp"
#include "rules.hpp"

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
  i64 span = r.element_size();
  for (int d = 0; d <= r.inner(); ++d) span += (r.extent[d] - 1) * r.stride[d];
  return span;
}

// Drivers before 13.2 encode maps of tensors in small allocations wrongly for Blackwell: one bit of the second word makes
// the engine read past the allocation. Devices of capability 9 get the driver's bytes unchanged.
inline void mend_small_tensor(TensorMap& map, const MapRequest& r, const Driver& driver) {
  if (driver.compute_capability >= 100 && driver.version < 13020 && span_bytes(r) < 128 * 1024)
    map.opaque[1] &= ~(u64(1) << 21);
}

// The one place where our order of dimensions becomes the driver's.
inline Error encode(TensorMap& map, const MapRequest& r, const Driver& driver) {
  u64      extents[5], strides[5];
  unsigned box[5], element_strides[5];
  for (int i = 0; i < r.rank; ++i) {
    const int d        = r.rank - 1 - i;
    extents[i]         = u64(r.extent[d]);
    box[i]             = unsigned(r.box[d]);
    element_strides[i] = unsigned(r.element_stride[d]);
    if (i > 0) strides[i - 1] = u64(r.stride[d]);
  }
  const int status = driver.encode_tiled(&map, int(r.type), unsigned(r.rank), const_cast<void*>(r.base), extents, strides,
                                         box, element_strides, int(r.interleave), int(r.swizzle), int(r.promotion),
                                         int(r.fill));
  if (status != 0) {
    Text text;
    text.append("tma: the driver (CUDA %d) refused a tensor map that breaks no known rule: status %d. %s, rank %d, base %p",
                driver.version, status, element_name(r.type), r.rank, r.base);
    for (int d = 0; d < r.rank; ++d)
      text.append(", dimension %d: extent %lld, stride %lld bytes, box %d, element stride %d", d, r.extent[d], r.stride[d],
                  r.box[d], r.element_stride[d]);
    text.append(", interleave %d, swizzle %s, promotion %d, fill %d\n", int(r.interleave), swizzle_name(r.swizzle),
                int(r.promotion), int(r.fill));
    return {ErrorKind::encode_refused, text};
  }
  mend_small_tensor(map, r, driver);
  return {};
}

// Rules first: they need no machine, and a broken one is worth more than "no driver".
template <class Descriptor> Result<Descriptor> make(MapRequest request, const Driver* given, Descriptor descriptor) {
  TensorMap& map      = DescriptorAccess::map(descriptor);
  request.destination = &map;
  Driver system;
  Error  no_machine;
  if (!given) no_machine = system_driver(system);
  const Driver& driver = given ? *given : system;
  if (!no_machine) add_machine(request, driver);
  const Report report = check(request);
  if (!report.ok()) return Error("this tensor cannot have a descriptor", report);
  if (no_machine) return no_machine;
  if (const Error refused = encode(map, request, driver)) return refused;
  return descriptor;
}

template <class TileT, class T, int Rank>
MapRequest tile_request(const TensorView<T, Rank>& view, const Options& options) {
  static_assert(is_tile_v<TileT>, "tma::make_descriptor: name the tile: make_descriptor<Tile>(view)");
  static_assert(is_same_v<remove_cv_t<T>, typename TileT::value_type>,
                "tma::make_descriptor: tensor and tile have the same element type. tf32 and ftz are asked for by viewing "
                "the tensor as tma::tf32 or tma::f32_ftz");
  static_assert(TileT::rank == Rank, "tma::make_descriptor: tensor and tile have the same rank. Give the tile an extent of "
                                     "1 where it is one element thick");
  MapRequest r = request_of(view, options);
  set_tile(r, TileT::shape::extents, TileT::swizzle);
  return r;
}

template <class T, int Rank>
MapRequest box_request(const TensorView<T, Rank>& view, const Index64 (&box)[Rank], Swizzle swizzle, const Options& options) {
  MapRequest r = request_of(view, options);
  int        extents[Rank];
  for (int d = 0; d < Rank; ++d) {
    const i64 b = box[d].value;
    extents[d]  = b > 0x7fffffff ? 0x7fffffff : b < 0 ? 0 : int(b);
  }
  set_tile(r, extents, swizzle);
  return r;
}

}  // namespace detail

/// Every rule that a descriptor of `view` in tiles of `TileT` would break. Needs no GPU; with one, its limits and the
/// kind of memory are looked at as well.
template <class TileT, class T, int Rank> Report check(const TensorView<T, Rank>& view, const Options& options = {}) {
  MapRequest r = detail::tile_request<TileT>(view, options);
  Driver     driver;
  if (!system_driver(driver)) detail::add_machine(r, driver);
  return check(r);
}

/// The descriptor of `view` in tiles of `TileT`, or the error: broken rules (all of them), or no machine to make it on.
/// `driver` stands in for the real one in tests.
template <class TileT, class T, int Rank>
Result<TmaDescriptor<T, Rank, TileT>> try_make_descriptor(const TensorView<T, Rank>& view,
                                                          const Options&             options = {},
                                                          const Driver*              driver  = nullptr) {
  return detail::make(detail::tile_request<TileT>(view, options), driver, TmaDescriptor<T, Rank, TileT>());
}

/// The same, throwing `tma::Error`.
///
///     auto in = tma::make_descriptor<Tile>(tma::TensorView{a, {rows, columns}});
///
/// Costs a driver call; the result is valid as long as the tensor stays where it is. Make it once, not once a launch.
template <class TileT, class T, int Rank>
TmaDescriptor<T, Rank, TileT> make_descriptor(const TensorView<T, Rank>& view, const Options& options = {}) {
  return try_make_descriptor<TileT>(view, options).value();
}

/// A descriptor whose box, in shared memory and slowest first, is known at run time only.
///
///     auto in = tma::make_descriptor(view, {rows_per_tile, 64}, tma::Swizzle::bytes_128);
template <class T, int Rank>
Result<TmaDescriptor<T, Rank>> try_make_descriptor(const TensorView<T, Rank>& view,
                                                   const detail::Index64 (&box)[Rank],
                                                   Swizzle        swizzle = Swizzle::none,
                                                   const Options& options = {},
                                                   const Driver*  driver  = nullptr) {
  MapRequest             r = detail::box_request(view, box, swizzle, options);
  TmaDescriptor<T, Rank> descriptor;
  int                    extents[Rank], rows = 1;
  for (int d = 0; d < Rank; ++d) {
    extents[d] = int(box[d].value);
    if (d < Rank - 1) rows *= r.tile_extent(d) > 256 ? 256 : r.tile_extent(d);
  }
  const int row  = r.box[Rank - 1] > 256 ? 0 : r.box[Rank - 1] * int(sizeof(T));
  const int span = swizzle_span(swizzle);
  detail::DescriptorAccess::set_box(descriptor, extents, rows * row, rows * (row < span ? span : row), swizzle);
  return detail::make(r, driver, descriptor);
}

template <class T, int Rank>
TmaDescriptor<T, Rank> make_descriptor(const TensorView<T, Rank>& view,
                                       const detail::Index64 (&box)[Rank],
                                       Swizzle        swizzle = Swizzle::none,
                                       const Options& options = {}) {
  return try_make_descriptor(view, box, swizzle, options).value();
}

/// What is wrong with a tile's position, which the hardware answers with an illegal instruction and no host call can
/// know: the innermost index times the element size is a multiple of 16 bytes (rule M8), and a store starts at 0 or
/// above in every dimension (rule M9).
template <class TileT> Report check_coord(const Coord<TileT::rank>& at, bool store = false) {
  Report        report;
  constexpr int inner = TileT::rank - 1;
  const auto    bytes = detail::i64(at[inner]) * detail::i64(sizeof(typename TileT::value_type));
  if (bytes % 16 != 0) {
    auto& v = report.add("M8", Severity::error);
    detail::print_to(v.field, "coordinate[%d]", inner);
    detail::print_to(v.value, "%d elements (byte %lld)", at[inner], bytes);
    detail::print_to(v.rule, "the innermost coordinate is a multiple of 16 bytes (%d elements); the hardware stops the kernel "
                             "with an illegal instruction",
                     16 / int(sizeof(typename TileT::value_type)));
    detail::print_to(v.fix, "start the tile at the multiple before and use the part that is wanted; a halo goes into a wider "
                            "tile");
  }
  for (int d = 0; store && d <= inner; ++d) {
    if (at[d] >= 0) continue;
    auto& v = report.add("M9", Severity::error);
    detail::print_to(v.field, "coordinate[%d]", d);
    detail::print_to(v.value, "%d", at[d]);
    detail::print_to(v.rule, "a store starts inside the tensor: PTX defines negative coordinates for loads only");
    detail::print_to(v.fix, "store a smaller tile, or move the tile inside");
  }
  return report;
}

}  // namespace tma
