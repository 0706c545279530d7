// What any tensor map asks of the tensor and of the machine.
#pragma once

#include "../../core/prologue.hpp"

#include "../map_request.hpp"
#include "../report.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {
namespace rules {

using detail::i64;

/// One rule: looks at a request, and adds to the report what it breaks.
using Rule = void (*)(const MapRequest&, Report&);

template <int N> Report check(const MapRequest& request, const Rule (&book)[N]) {
  Report report;
  for (Rule rule : book) rule(request, report);
  return report;
}

namespace detail_ {

inline bool align16b(ElementType t) { return t == ElementType::u4_align16 || t == ElementType::u6_align16; }

// What base and strides are a multiple of.
inline int granule(const MapRequest& r) { return r.interleave == Interleave::bytes_32 || align16b(r.type) ? 32 : 16; }

inline int dimensions(const MapRequest& r) { return r.inner() + 1; }

// A row of the box without gaps. Two 4-bit elements are a byte; the 16-byte packed types have rules of their own.
inline i64 row_bytes(const MapRequest& r) {
  const i64 elements = r.box[r.inner()];
  return r.type == ElementType::u4_align8 ? elements / 2 : elements * r.element_size();
}

// An extent that T5 refuses says nothing about what would follow from it.
inline bool is_extent(i64 e) { return e >= 1 && e <= (i64(1) << 32); }

// " (1733 elements)" where a stride is a whole number of them.
struct InElements {
  char text[48] = "";
  InElements(const MapRequest& r, i64 bytes) {
    if (r.element_size() && bytes % r.element_size() == 0)
      TMA_DETAIL_STDIO(snprintf)(text, sizeof text, " (%lld elements)", bytes / r.element_size());
  }
};

inline bool is_element_stride(int s) { return s >= 1 && s <= 8; }

inline int remainder(const void* pointer, int of) { return int(reinterpret_cast<std::size_t>(pointer) % std::size_t(of)); }

}  // namespace detail_

using namespace detail_;

/// T1: the map itself is written to a multiple of 64. The driver does not look; the copy faults.
inline void map_address(const MapRequest& r, Report& report) {
  const int rest = remainder(r.destination, 64);
  if (rest == 0) return;
  report.error(
      "T1",
      "descriptor address|%p|the 128 bytes of a tensor map lie at a multiple of 64; the remainder is %d|"
      "keep descriptors as tma::TmaDescriptor objects, which are aligned; in a byte buffer of your own put each at a "
      "multiple of 128",
      r.destination, rest);
}

/// T2: the element type is one the driver has.
inline void element_type_known(const MapRequest& r, Report& report) {
  if (int(r.type) >= 0 && int(r.type) <= 15) return;
  report.error("T2", "element type|%d|the driver has the types 0 to 15|use tma::element_type<T>", int(r.type));
}

/// T3: rank 1 to 5; 3 to 5 with interleave.
inline void rank_in_range(const MapRequest& r, Report& report) {
  const bool plain = r.interleave == Interleave::none;
  if (r.rank >= (plain ? 1 : 3) && r.rank <= 5) return;
  report.error("T3", "rank|%d|%s|%s", r.rank,
               plain ? "a tensor map has rank 1 to 5" : "an interleaved layout has rank 3 to 5",
               r.rank > 5 ? "merge dimensions that are contiguous, or loop over one and make a map of the rest"
               : plain    ? "add dimensions of extent 1"
                          : "add dimensions of extent 1, or leave the interleave out");
}

/// T4: the base is a multiple of 16; 32 with 32-byte interleave and the 16-byte packed types.
inline void base_aligned(const MapRequest& r, Report& report) {
  const int to = granule(r), rest = remainder(r.base, to);
  if (rest == 0) return;
  report.error(
      "T4",
      "base|%p|the tensor starts at a multiple of %d bytes; the remainder is %d|"
      "start the view at the aligned element before (%d bytes earlier) and shift the coordinates, copy the tensor to an "
      "aligned buffer, or load it by threads",
      r.base, to, rest, rest);
}

/// T5: every extent is 1 to 2^32.
inline void extents_in_range(const MapRequest& r, Report& report) {
  for (int d = 0; d < dimensions(r); ++d) {
    const i64 e = r.extent[d];
    if (e >= 1 && e <= (i64(1) << 32)) continue;
    report.error("T5", "extent[%d]|%lld|%s|%s", d, e,
                 e == 0  ? "the tensor is empty: every extent is at least 1"
                 : e < 0 ? "an extent is a count: 1 to 2^32"
                         : "an extent is at most 2^32 elements",
                 e == 0  ? "there is nothing to copy: do not launch, or give the kernel no descriptor"
                 : e < 0 ? "look for a subtraction or a cast that went below zero"
                         : "split the dimension in two: blocks, and elements of a block");
  }
}

/// T6: packed types fill whole groups of the row.
inline void packed_row_whole(const MapRequest& r, Report& report) {
  const int group = align16b(r.type) ? 128 : r.type == ElementType::u4_align8 ? 2 : 1;
  const i64 e     = r.extent[r.inner()];
  if (!is_extent(e) || e % group == 0) return;
  report.error("T6", "extent[%d]|%lld|rows of %s hold a multiple of %d elements|pad the rows to %lld elements", r.inner(), e,
               element_name(r.type), group, (e + group - 1) / group * group);
}

/// T7: every stride but the innermost is a multiple of 16 bytes (32), at least 0 and below 2^40.
inline void strides_aligned(const MapRequest& r, Report& report) {
  const int to = granule(r);
  for (int d = 0; d < r.inner(); ++d) {
    const i64 s = r.stride[d];
    if (s < 0)
      report.error(
          "T7",
          "stride[%d]|%lld bytes%s|a stride must not be negative: the engine only walks forward|"
          "start the view at the other end, and reverse the dimension when computing coordinates; where no stride was "
          "to be negative, look for a subtraction of unsigned numbers that went below zero",
          d, s, InElements(r, s).text);
    else if (s >= (i64(1) << 40))
      report.error("T7", "stride[%d]|%lld bytes%s|a stride must be below 2^40 bytes|%s", d, s, InElements(r, s).text,
                   s >= (i64(1) << 47)  // more than any device has
                       ? "look for a product or a difference that wrapped around, or for bytes where elements are meant"
                       : "make one descriptor for each part of the dimension");
    else if (s % to != 0)
      report.error("T7",
                   "stride[%d]|%lld bytes%s|a stride is a multiple of %d bytes; the remainder is %lld|"
                   "pad to %lld bytes%s between starts, or load this tensor by threads",
                   d, s, InElements(r, s).text, to, s % to, (s + to - 1) / to * to,
                   InElements(r, (s + to - 1) / to * to).text);
  }
}

/// T8 (warning): elements that overlap. Legal, and right for sliding windows; a store through such a map is a race.
inline void rows_apart(const MapRequest& r, Report& report) {
  // A dimension overlaps where one step of it stays inside what the dimensions of smaller strides span, in whatever order
  // they are given.
  for (int d = 0; d < r.inner(); ++d) {
    if (r.extent[d] <= 1 || r.stride[d] <= 0) continue;
    i64 span = r.unit_bytes() ? r.unit_bytes() : 1;
    for (int k = 0; k < dimensions(r); ++k) {
      i64 step;
      if (k == d || r.extent[k] <= 1 || r.stride[k] <= 0 || r.stride[k] > r.stride[d]) continue;
      if (r.stride[k] == r.stride[d] && k < d) continue;  // of two alike the outer one is named
      if (__builtin_mul_overflow(r.units(k) - 1, r.stride[k], &step) || __builtin_add_overflow(span, step, &span))
        span = ~(i64(1) << 63);
    }
    if (r.stride[d] >= span) continue;
    report.warning(
        "T8",
        "stride[%d]|%lld bytes%s|one step of dimension %d stays inside the %lld bytes that the others span: neighbours "
        "overlap|nothing, if a sliding window is meant%s; else check the strides",
        d, r.stride[d], InElements(r, r.stride[d]).text, d, span,
        r.stores ? " and only one of the overlapping elements is stored" : "");
  }
}

/// T13: interleave is one the driver has; the 6-bit type has none.
inline void interleave_known(const MapRequest& r, Report& report) {
  const bool known = int(r.interleave) >= 0 && int(r.interleave) <= 2;
  if (known && (r.type != ElementType::u6_align16 || r.interleave == Interleave::none)) return;
  report.error("T13", "interleave|%d|%s|use tma::Interleave::none", int(r.interleave),
               known ? "u6_align16 is never interleaved" : "interleave is none, bytes_16 or bytes_32");
}

/// T18: promotion and swizzle are ones the driver has. T23: the swizzle that only the device sets is none of them.
inline void enumerations_known(const MapRequest& r, Report& report) {
  if (int(r.promotion) < 0 || int(r.promotion) > 3)
    report.error("T18", "promotion|%d|L2 promotion is none, bytes_64, bytes_128 or bytes_256|use tma::Promotion::none",
                 int(r.promotion));
  if (r.swizzle == Swizzle::bytes_96)
    report.error("T23", "swizzle|bytes_96|no function of the driver makes such a map: it is set on the device, on sm_103a|"
                        "pass any tiled descriptor to the kernel and make this one there: tma::describe; or use "
                        "tma::Swizzle::bytes_128");
  else if (int(r.swizzle) < 0 || int(r.swizzle) > 6)
    report.error("T18", "swizzle|%d|the driver has the swizzles 0 to 6|use tma::Swizzle::none", int(r.swizzle));
}

/// T19: the NaN fill needs a floating type.
inline void fill_fits_type(const MapRequest& r, Report& report) {
  if (r.fill == Fill::zero || (r.fill == Fill::nan && is_floating(r.type))) return;
  report.error("T19", "fill|%s for %s|the NaN fill is for f16, bf16, f32, f64 and tf32|use tma::Fill::zero",
               r.fill == Fill::nan ? "nan" : "?", element_name(r.type));
}

/// T21 (warning): a swizzled tensor that does not start at a multiple of 128.
inline void swizzled_base(const MapRequest& r, Report& report) {
  if (r.swizzle == Swizzle::none || remainder(r.base, 128) == 0) return;
  report.warning("T21",
                 "base|%p|with a swizzle one of the vendor's texts asks for a base at a multiple of 128, another for 16; "
                 "hardware of capability 9.0 takes 16|align the tensor to 128 bytes if it costs nothing",
                 r.base);
}

/// T22 (warning): elements that no coordinate reaches.
inline void extents_reachable(const MapRequest& r, Report& report) {
  for (int d = 0; d < dimensions(r); ++d) {
    if (r.extent[d] <= (i64(1) << 31) || r.extent[d] > (i64(1) << 32)) continue;
    report.warning("T22",
                   "extent[%d]|%lld|coordinates are signed 32-bit: elements from 2^31 on cannot be addressed|"
                   "split the dimension in two",
                   d, r.extent[d]);
  }
}

/// M1: the innermost stride is one element: a map has no field for another.
inline void inner_dense(const MapRequest& r, Report& report) {
  const i64 s = r.stride[r.inner()];
  if (r.unit_bytes() == 0 || s == r.unit_bytes()) return;
  report.error("M1",
               "stride[%d]|%lld bytes%s|the innermost dimension is contiguous (a stride of 1 %s, %d bytes): a "
               "tensor map cannot say otherwise and would read it dense|"
               "reorder the dimensions so that the contiguous one is last, copy the tensor, or load it by threads",
               r.inner(), s, InElements(r, s).text, is_packed(r.type) ? "unit of 16" : "element", r.unit_bytes());
}

/// M2: the base is not null. The driver makes such a map.
inline void base_not_null(const MapRequest& r, Report& report) {
  if (r.base) return;
  report.error("M2", "base|null|the tensor lies in device memory; the driver accepts a null base, and the copy faults|"
                     "allocate the tensor before making its descriptor");
}

/// M3: the base can be read by the device. The driver makes a map of any address.
inline void base_on_device(const MapRequest& r, Report& report) {
  if (r.base_kind != PointerKind::pageable_host || r.reads_pageable) return;
  report.error(
      "M3",
      "base|%p|this is ordinary host memory, which the device does not read; the driver accepts it, and the copy faults|"
      "pass the device pointer (cudaMalloc), or pinned memory (cudaHostAlloc)",
      r.base);
}

/// M4: a store writes whole 16-byte pieces: an inner extent that ends inside one destroys what follows it in the pitch.
inline void store_ends_whole(const MapRequest& r, Report& report) {
  const int bits = r.type == ElementType::u4_align8 ? 4 : 8 * r.element_size();  // of the padded types T6 asks for more
  if (!r.stores || bits == 0 || !is_extent(r.extent[r.inner()])) return;
  const i64 row = (r.extent[r.inner()] * bits + 7) / 8;
  if (row % 16 == 0) return;
  const i64 to = (row + 15) / 16 * 16;
  report.error(
      "M4",
      "extent[%d]|%lld elements (%lld bytes)|a store writes whole 16-byte pieces: each row would be written to byte %lld, "
      "%lld bytes past its end|"
      "if the map is only loaded from, make it from a view of const elements; if the padding is yours to write, give the "
      "extent as %lld; else store the last columns by threads",
      r.inner(), r.extent[r.inner()], row, to, to - row, to * 8 / bits);
}

/// M5: a store needs each element in one place: a stride of 0 puts many in one.
inline void store_not_broadcast(const MapRequest& r, Report& report) {
  for (int d = 0; d < dimensions(r); ++d)
    if (r.extent[d] < 1) return;  // nothing is stored, and dense strides are 0: T5 speaks of it
  for (int d = 0; d < r.inner(); ++d) {
    if (!r.stores || r.stride[d] != 0 || r.extent[d] <= 1) continue;
    report.error("M5",
                 "stride[%d]|0|a stride of 0 repeats one row %lld times: a store would write all of them to one place|"
                 "if the map is only loaded from, make it from a view of const elements",
                 d, r.extent[d]);
  }
}

/// M6: the tensor ends inside the address space.
inline void inside_address_space(const MapRequest& r, Report& report) {
  bool over = r.overflow;
  i64  last = 0;
  for (int d = 0; d < dimensions(r) && !over; ++d) {
    i64 step;
    if (r.extent[d] < 1 || r.stride[d] < 0) continue;  // T5 and T7 speak of these
    over = __builtin_mul_overflow(r.units(d) - 1, r.stride[d], &step) || __builtin_add_overflow(last, step, &last);
  }
  if (!over && last < (i64(1) << 57)) return;
  report.error("M6",
               "extents x strides|more than 2^57 bytes|the tensor ends inside the address space; some product does not fit|"
               "look for an extent or stride that is in bytes where elements are meant, or negative and unsigned");
}

/// M7: what the device at hand does not have.
inline void device_has_it(const MapRequest& r, Report& report) {
  if (r.compute_capability == 0 || r.compute_capability >= 100) return;
  const int major = r.compute_capability / 10, minor = r.compute_capability % 10;
  if (r.swizzle >= Swizzle::bytes_128_atom_32 && r.swizzle <= Swizzle::bytes_128_atom_64)
    report.error("M7", "swizzle|%s|needs compute capability 10.0; this device has %d.%d|use tma::Swizzle::bytes_128",
                 swizzle_name(r.swizzle), major, minor);
  if (is_packed(r.type))
    report.error(
        "M7",
        "element type|%s|needs compute capability 10.0; this device has %d.%d|unpack the elements, or move them as bytes",
        element_name(r.type), major, minor);
  if (r.traversal == Traversal::rows4)
    report.error("M7",
                 "traversal|rows4|gathering and scattering rows needs compute capability 10.0; this device has %d.%d|"
                 "load each row as a tile of one row",
                 major, minor);
}

}  // namespace rules
}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../../core/epilogue.hpp"
