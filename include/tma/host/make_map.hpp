// How a tensor map is judged and made, whatever its kind: the rules, and the driver's calls.
#pragma once

#include "../core/prologue.hpp"

#include "../core/descriptor.hpp"
#include "check_slots.hpp"
#include "driver.hpp"
#include "pointer_attribute.hpp"
#if TMA_HAS_HOST_TEXT
#  include "rules.hpp"
#endif

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

#if !TMA_HAS_HOST_TEXT
[[nodiscard]] Report check(const MapRequest& request);
#endif

namespace detail {

// How a kind of map is judged and made.
struct MapKind {
  Report (*check)(const MapRequest&);
  Error (*encode)(TensorMap&, const MapRequest&, const Driver&);
};

#if TMA_HAS_HOST_TEXT

inline void add_machine(MapRequest& r, const Driver& driver) {
  r.compute_capability = driver.compute_capability;
  r.shared_limit       = driver.shared_limit;
  r.reads_pageable     = driver.reads_pageable;
  if (driver.pointer_kind && r.base) r.base_kind = driver.pointer_kind(r.base);
  add_owner(r, driver);
}

// Where a pointer points is not known after a failed kernel, and then nothing may be said of the pointer.
inline Error failed_while_asking(const MapRequest& r) {
  return r.base && r.base_kind == PointerKind::unknown ? failed_before(cudaPeekAtLastError()) : Error();
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
  if (const Error before = failed_before(status)) return before;
  if (!is_about_arguments(status)) return driver_failed("make a tensor map", status, driver);
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
      "tma: the driver (CUDA %d) refused a tensor map of %s that breaks no known rule: status %d. %s, rank %d, base %p%s, "
      "interleave %d, swizzle %s, promotion %d, fill %d\n",
      driver.version, tensor_words(r).c_str(), status, element_name(r.type), r.rank, r.base, all.c_str(), int(r.interleave),
      swizzle_name(r.swizzle), int(r.promotion), int(r.fill));
}

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
  const int status = ask_driver(ask);
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
// `request` is told of the machine.
inline Error make_map(TensorMap& map, MapRequest& request, const Driver* given, const MapKind& kind) {
  AlignedMap made;
  request.destination = &made.get();
  Driver        system;
  const Error   no_machine = given ? Error() : system_driver(system);
  const Driver& driver     = given ? *given : system;
  if (!no_machine) add_machine(request, driver);
  const Report report = kind.check(request);
  if (!report.ok()) return tensor_error(request, "cannot have a descriptor", report);
  if (no_machine) return no_machine;
  if (const Error before = failed_while_asking(request)) return before;
  const Error error = kind.encode(made.get(), request, driver);
  if (!error) std::memcpy(&map, &made.get(), sizeof map);
  return error;
}

inline void make_or_throw(TensorMap& map, MapRequest&& request, const MapKind& kind) {
  if (const Error error = make_map(map, request, nullptr, kind)) raise(error);
}

inline Report check_here(MapRequest&& r, const MapKind& kind) {
  Driver driver;
  if (!system_driver(driver)) add_machine(r, driver);
  return kind.check(r);
}

#else

Error                failed_while_asking(const MapRequest& r);
Report               check_plain(const MapRequest& request);
Report               check_bare(const MapRequest& request);
Error                encode_tiled(TensorMap& map, const MapRequest& r, const Driver& driver);
[[nodiscard]] Report check_coord(const int* at, int rank, int size, int granule, bool store);
Error                make_map(TensorMap& map, MapRequest& request, const Driver* given, const MapKind& kind);
void                 make_or_throw(TensorMap& map, MapRequest&& request, const MapKind& kind);
Report               check_here(MapRequest&& r, const MapKind& kind);

#endif  // TMA_HAS_HOST_TEXT

inline constexpr MapKind tiled_map = {tma::check, encode_tiled};
inline constexpr MapKind plain_map = {check_plain, encode_tiled};
inline constexpr MapKind bare_map  = {check_bare, encode_tiled};

}  // namespace detail
}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
