// The rule book: what a tensor map must satisfy. One function a rule, each with its id; all are always asked, so that a
// report names everything that is wrong at once.
//
// T rules are the driver's (it refuses such a map without saying why). M rules are the machine's: the driver makes the
// map, and the copy then faults, hangs or destroys bytes. Dimensions are counted slowest first.
#pragma once

#include "error.hpp"
#include "map_request.hpp"

namespace tma {
namespace rules {

using detail::i64;
using detail::print_to;

namespace detail_ {

inline Violation& error(Report& report, const char* id) { return report.add(id, Severity::error); }
inline Violation& warning(Report& report, const char* id) { return report.add(id, Severity::warning); }

inline bool align16b(ElementType t) { return t == ElementType::u4_align16 || t == ElementType::u6_align16; }

// What base and strides are a multiple of.
inline int granule(const MapRequest& r) { return r.interleave == Interleave::bytes_32 || align16b(r.type) ? 32 : 16; }

inline int dimensions(const MapRequest& r) { return r.inner() + 1; }

inline i64 row_bytes(const MapRequest& r) { return i64(r.box[r.inner()]) * r.element_size(); }

inline i64 in_elements(const MapRequest& r, i64 bytes) { return r.element_size() ? bytes / r.element_size() : bytes; }

inline void say_stride(Violation& v, const MapRequest& r, int d) {
  print_to(v.field, "stride[%d]", d);
  if (r.element_size() && r.stride[d] % r.element_size() == 0)
    print_to(v.value, "%lld bytes (%lld elements)", r.stride[d], r.stride[d] / r.element_size());
  else print_to(v.value, "%lld bytes", r.stride[d]);
}

// An address is written whole: 0x7f2a40000008.
inline void say_pointer(Violation& v, const char* field, const void* p) {
  print_to(v.field, "%s", field);
  print_to(v.value, "%p", p);
}

}  // namespace detail_

using namespace detail_;

/// T1: the map itself is written to a multiple of 64.
inline void map_address(const MapRequest& r, Report& report) {
  if (reinterpret_cast<std::size_t>(r.destination) % 64 == 0) return;
  auto& v = error(report, "T1");
  say_pointer(v, "descriptor address", r.destination);
  print_to(v.rule, "the 128 bytes of a tensor map lie at a multiple of 64; the remainder is %d",
           int(reinterpret_cast<std::size_t>(r.destination) % 64));
  print_to(v.fix, "keep descriptors as tma::TmaDescriptor objects, which are aligned; in a byte buffer of your own put "
                  "each at a multiple of 128");
}

/// T2: the element type is one the driver has.
inline void element_type_known(const MapRequest& r, Report& report) {
  if (int(r.type) >= 0 && int(r.type) <= 15) return;
  auto& v = error(report, "T2");
  print_to(v.field, "element type");
  print_to(v.value, "%d", int(r.type));
  print_to(v.rule, "the driver has the types 0 to 15");
  print_to(v.fix, "use tma::element_type<T>");
}

/// T3: rank 1 to 5; 3 to 5 with interleave.
inline void rank_in_range(const MapRequest& r, Report& report) {
  const int least = r.interleave == Interleave::none ? 1 : 3;
  if (r.rank >= least && r.rank <= 5) return;
  auto& v = error(report, "T3");
  print_to(v.field, "rank");
  print_to(v.value, "%d", r.rank);
  if (least == 1) print_to(v.rule, "a tensor map has rank 1 to 5");
  else print_to(v.rule, "an interleaved layout has rank 3 to 5");
  if (r.rank > 5) print_to(v.fix, "merge dimensions that are contiguous, or loop over one and make a map of the rest");
  else print_to(v.fix, "add dimensions of extent 1%s", least == 1 ? "" : ", or leave the interleave out");
}

/// T4: the base is a multiple of 16; 32 with 32-byte interleave and the 16-byte packed types.
inline void base_aligned(const MapRequest& r, Report& report) {
  const std::size_t address = reinterpret_cast<std::size_t>(r.base);
  const int         to      = granule(r);
  if (address % to == 0) return;
  auto& v = error(report, "T4");
  say_pointer(v, "base", r.base);
  print_to(v.rule, "the tensor starts at a multiple of %d bytes; the remainder is %d", to, int(address % to));
  print_to(v.fix, "start the view at the aligned element before (%d bytes earlier) and shift the coordinates, copy the "
                  "tensor to an aligned buffer, or load it by threads",
           int(address % to));
}

/// T5: every extent is 1 to 2^32.
inline void extents_in_range(const MapRequest& r, Report& report) {
  for (int d = 0; d < dimensions(r); ++d) {
    if (r.extent[d] >= 1 && r.extent[d] <= (i64(1) << 32)) continue;
    auto& v = error(report, "T5");
    print_to(v.field, "extent[%d]", d);
    print_to(v.value, "%lld", r.extent[d]);
    if (r.extent[d] == 0) {
      print_to(v.rule, "the tensor is empty: every extent is at least 1");
      print_to(v.fix, "there is nothing to copy: do not launch, or give the kernel no descriptor");
    } else if (r.extent[d] < 0) {
      print_to(v.rule, "an extent is a count: 1 to 2^32");
      print_to(v.fix, "look for a subtraction or a cast that went below zero");
    } else {
      print_to(v.rule, "an extent is at most 2^32 elements");
      print_to(v.fix, "split the dimension in two: %lld = blocks x block", r.extent[d]);
    }
  }
}

/// T6: packed types fill whole groups of the row.
inline void packed_row_whole(const MapRequest& r, Report& report) {
  const int group = align16b(r.type) ? 128 : r.type == ElementType::u4_align8 ? 2 : 1;
  if (r.extent[r.inner()] % group == 0) return;
  auto& v = error(report, "T6");
  print_to(v.field, "extent[%d]", r.inner());
  print_to(v.value, "%lld", r.extent[r.inner()]);
  print_to(v.rule, "rows of %s hold a multiple of %d elements", element_name(r.type), group);
  print_to(v.fix, "pad the rows to %lld elements", (r.extent[r.inner()] + group - 1) / group * group);
}

/// T7: every stride but the innermost is a multiple of 16 bytes (32), at least 0 and below 2^40.
inline void strides_aligned(const MapRequest& r, Report& report) {
  const int to = granule(r);
  for (int d = 0; d < r.inner(); ++d) {
    const i64 s = r.stride[d];
    if (s % to == 0 && s >= 0 && s < (i64(1) << 40)) continue;
    auto& v = error(report, "T7");
    say_stride(v, r, d);
    if (s < 0) {
      print_to(v.rule, "a stride is not negative: the engine only walks forward");
      print_to(v.fix, "start the view at the other end, and reverse the dimension when computing coordinates");
    } else if (s >= (i64(1) << 40)) {
      print_to(v.rule, "a stride is below 2^40 bytes");
      print_to(v.fix, "make one descriptor for each part of the dimension");
    } else {
      const i64 up = (s + to - 1) / to * to;
      print_to(v.rule, "a stride is a multiple of %d bytes; the remainder is %lld", to, s % to);
      if (r.element_size() && up % r.element_size() == 0)
        print_to(v.fix, "pad to %lld bytes (%lld elements) between starts, or load this tensor by threads", up,
                 in_elements(r, up));
      else print_to(v.fix, "pad to %lld bytes between starts, or load this tensor by threads", up);
    }
  }
}

/// T8 (warning): rows that overlap. Legal, and right for sliding windows; a store through such a map is a race.
inline void rows_apart(const MapRequest& r, Report& report) {
  for (int d = 0; d < r.inner(); ++d) {
    i64        span = 0;
    const bool fits = !__builtin_mul_overflow(r.stride[d + 1], r.extent[d + 1], &span);
    if (r.extent[d] <= 1 || r.stride[d] <= 0 || !fits || r.stride[d] >= span) continue;
    auto& v = warning(report, "T8");
    say_stride(v, r, d);
    print_to(v.rule, "the %lld elements of dimension %d span %lld bytes: neighbours overlap", r.extent[d + 1], d + 1, span);
    print_to(v.fix, "nothing, if a sliding window is meant%s; else check the strides",
             r.stores ? " and only one of the overlapping elements is stored" : "");
  }
}

/// T9: every extent of the box is 1 to 256.
inline void box_in_range(const MapRequest& r, Report& report) {
  for (int d = 0; d < dimensions(r); ++d) {
    if (r.box[d] >= 1 && r.box[d] <= 256) continue;
    auto& v = error(report, "T9");
    print_to(v.field, "box[%d]", d);
    print_to(v.value, "%d", r.box[d]);
    print_to(v.rule, "a box is 1 to 256 elements in each dimension%s",
             r.element_stride[d] > 1 ? ", the elements that a stride skips included" : "");
    print_to(v.fix, r.box[d] > 256 ? "load %d tiles, or view the dimension as two" : "give the tile at least one element",
             (r.box[d] + 255) / 256);
  }
}

/// T10: without interleave a row of the box is a multiple of 16 bytes.
inline void box_row_whole(const MapRequest& r, Report& report) {
  if (r.interleave != Interleave::none) return;
  const int inner = r.inner();
  if (r.type == ElementType::u4_align8 && r.box[inner] % 32 != 0) {
    auto& v = error(report, "T10");
    print_to(v.field, "box[%d]", inner);
    print_to(v.value, "%d elements of u4_align8", r.box[inner]);
    print_to(v.rule, "a row of the box is a multiple of 32 such elements");
    print_to(v.fix, "make it %d", (r.box[inner] + 31) / 32 * 32);
    return;
  }
  if (r.element_size() == 0 || row_bytes(r) % 16 == 0) return;
  const i64 wide = (row_bytes(r) + 15) / 16 * 16 / r.element_size();
  auto&     v    = error(report, "T10");
  print_to(v.field, "box[%d]", inner);
  print_to(v.value, "%d elements of %s (%lld bytes)", r.box[inner], element_name(r.type), row_bytes(r));
  print_to(v.rule, "a row of the box is a multiple of 16 bytes; the remainder is %lld", row_bytes(r) % 16);
  print_to(v.fix, "make the row %lld elements wide (what lies outside the tensor is filled), or load it by threads", wide);
}

/// T11: the 16-byte packed types have a row of 128 elements.
inline void packed_box_row(const MapRequest& r, Report& report) {
  if (!align16b(r.type) || r.box[r.inner()] == 128) return;
  auto& v = error(report, "T11");
  print_to(v.field, "box[%d]", r.inner());
  print_to(v.value, "%d", r.box[r.inner()]);
  print_to(v.rule, "a row of the box is exactly 128 elements of %s", element_name(r.type));
  print_to(v.fix, "make it 128");
}

/// T12: element strides are 1 to 8; the innermost is ignored without interleave, and so must be 1.
inline void element_strides_in_range(const MapRequest& r, Report& report) {
  for (int d = 0; d < dimensions(r); ++d) {
    const bool ignored = d == r.inner() && r.interleave == Interleave::none;
    if (r.element_stride[d] >= 1 && r.element_stride[d] <= (ignored ? 1 : 8)) continue;
    auto& v = error(report, "T12");
    print_to(v.field, "element_strides[%d]", d);
    print_to(v.value, "%d", r.element_stride[d]);
    if (ignored && r.element_stride[d] > 1 && r.element_stride[d] <= 8) {
      print_to(v.rule, "the engine ignores the stride of the innermost dimension and would read dense rows");
      print_to(v.fix, "view the tensor with one more dimension, and step over the outer of the two");
    } else {
      print_to(v.rule, "an element stride is 1 to 8");
      print_to(v.fix, "use a larger stride of the view instead, with a smaller extent");
    }
  }
}

/// T13: interleave is one the driver has; the 6-bit type has none.
inline void interleave_known(const MapRequest& r, Report& report) {
  const bool known = int(r.interleave) >= 0 && int(r.interleave) <= 2;
  if (known && (r.type != ElementType::u6_align16 || r.interleave == Interleave::none)) return;
  auto& v = error(report, "T13");
  print_to(v.field, "interleave");
  print_to(v.value, "%d", int(r.interleave));
  print_to(v.rule, known ? "u6_align16 is never interleaved" : "interleave is none, bytes_16 or bytes_32");
  print_to(v.fix, "use tma::Interleave::none");
}

/// T14: without interleave a swizzled row is at most as wide as the swizzle.
inline void swizzle_holds_row(const MapRequest& r, Report& report) {
  const int span = swizzle_span(r.swizzle);
  if (r.interleave != Interleave::none || span == 0 || r.element_size() == 0 || row_bytes(r) <= span) return;
  auto& v = error(report, "T14");
  print_to(v.field, "box[%d]", r.inner());
  print_to(v.value, "%d elements of %s (%lld bytes)", r.box[r.inner()], element_name(r.type), row_bytes(r));
  print_to(v.rule, "a row under swizzle %s is at most %d bytes", swizzle_name(r.swizzle), span);
  print_to(v.fix, "make the row %d elements and load %lld tiles side by side, or %s", span / r.element_size(),
           (row_bytes(r) + span - 1) / span, span < 128 ? "use a wider swizzle" : "use no swizzle");
}

/// T15: 32-byte interleave goes with the 32-byte swizzle.
inline void interleave_swizzle(const MapRequest& r, Report& report) {
  if (r.interleave != Interleave::bytes_32 || r.swizzle == Swizzle::bytes_32) return;
  auto& v = error(report, "T15");
  print_to(v.field, "swizzle");
  print_to(v.value, "%s", swizzle_name(r.swizzle));
  print_to(v.rule, "a 32-byte interleave needs the 32-byte swizzle");
  print_to(v.fix, "use tma::Swizzle::bytes_32");
}

/// T16: the 6-bit type knows few swizzles. T17: so does the 16-byte 4-bit type, which is only loaded.
inline void packed_swizzle(const MapRequest& r, Report& report) {
  if (!align16b(r.type)) return;
  const bool  six  = r.type == ElementType::u6_align16;
  const char* id   = six ? "T16" : "T17";
  const bool  both = r.swizzle == Swizzle::none || r.swizzle == Swizzle::bytes_128 || r.swizzle == Swizzle::bytes_128_atom_32;
  if (!both && !(six && r.swizzle == Swizzle::bytes_128_atom_64)) {
    auto& v = error(report, id);
    print_to(v.field, "swizzle");
    print_to(v.value, "%s", swizzle_name(r.swizzle));
    print_to(v.rule, "%s takes none, bytes_128, bytes_128_atom_32%s", element_name(r.type),
             six ? " and, for stores, bytes_128_atom_64" : "");
    print_to(v.fix, "use tma::Swizzle::bytes_128");
  }
  if (!six && r.stores) {
    auto& v = error(report, id);
    print_to(v.field, "access");
    print_to(v.value, "store");
    print_to(v.rule, "u4_align16 is loaded only: no store takes it");
    print_to(v.fix, "make the map from a view of const elements");
  }
}

/// T18: the promotion is one the driver has. T2 for swizzles likewise.
inline void enumerations_known(const MapRequest& r, Report& report) {
  if (int(r.promotion) < 0 || int(r.promotion) > 3) {
    auto& v = error(report, "T18");
    print_to(v.field, "promotion");
    print_to(v.value, "%d", int(r.promotion));
    print_to(v.rule, "L2 promotion is none, bytes_64, bytes_128 or bytes_256");
    print_to(v.fix, "use tma::Promotion::none");
  }
  if (int(r.swizzle) < 0 || int(r.swizzle) > 6) {
    auto& v = error(report, "T18");
    print_to(v.field, "swizzle");
    print_to(v.value, "%d", int(r.swizzle));
    print_to(v.rule, "the driver has the swizzles 0 to 6");
    print_to(v.fix, "use tma::Swizzle::none");
  }
}

/// T19: the NaN fill needs a floating type.
inline void fill_fits_type(const MapRequest& r, Report& report) {
  if (r.fill == Fill::zero || (r.fill == Fill::nan && is_floating(r.type))) return;
  auto& v = error(report, "T19");
  print_to(v.field, "fill");
  print_to(v.value, "%s for %s", r.fill == Fill::nan ? "nan" : "?", element_name(r.type));
  print_to(v.rule, "the NaN fill is for f16, bf16, f32, f64 and tf32");
  print_to(v.fix, "use tma::Fill::zero");
}

/// T20: the tile fits a block's shared memory.
inline void tile_fits_shared(const MapRequest& r, Report& report) {
  const int   inner = r.inner();
  const i64   row   = r.element_size() ? i64(r.tile_extent(inner)) * r.element_size() : i64(r.tile_extent(inner));
  const i64   span  = swizzle_span(r.swizzle);
  i64         bytes = row < span ? span : row;
  for (int d = 0; d < inner; ++d)
    if (__builtin_mul_overflow(bytes, i64(r.tile_extent(d) < 1 ? 1 : r.tile_extent(d)), &bytes)) bytes = i64(1) << 62;
  if (bytes <= r.shared_limit) return;
  auto& v = error(report, "T20");
  print_to(v.field, "box");
  print_to(v.value, "%lld bytes of shared memory", bytes);
  print_to(v.rule, "a tile fits the %d bytes of shared memory that a block can have here", r.shared_limit);
  print_to(v.fix, "make the tile smaller; a pipeline holds several of them");
}

/// T21 (warning): a swizzled tensor that does not start at a multiple of 128.
inline void swizzled_base(const MapRequest& r, Report& report) {
  if (r.swizzle == Swizzle::none || reinterpret_cast<std::size_t>(r.base) % 128 == 0) return;
  auto& v = warning(report, "T21");
  say_pointer(v, "base", r.base);
  print_to(v.rule, "with a swizzle one of the vendor's texts asks for a base at a multiple of 128, another for 16; the "
                   "hardware of capability 9.0 takes 16");
  print_to(v.fix, "align the tensor to 128 bytes if it costs nothing");
}

/// T22 (warning): elements that no coordinate reaches.
inline void extents_reachable(const MapRequest& r, Report& report) {
  for (int d = 0; d < dimensions(r); ++d) {
    if (r.extent[d] <= (i64(1) << 31) || r.extent[d] > (i64(1) << 32)) continue;
    auto& v = warning(report, "T22");
    print_to(v.field, "extent[%d]", d);
    print_to(v.value, "%lld", r.extent[d]);
    print_to(v.rule, "coordinates are signed 32-bit: elements from 2^31 on cannot be addressed");
    print_to(v.fix, "split the dimension in two");
  }
}

/// M1: the innermost stride is one element: a map has no field for another.
inline void inner_dense(const MapRequest& r, Report& report) {
  if (r.element_size() == 0 || r.stride[r.inner()] == r.element_size()) return;
  auto& v = error(report, "M1");
  say_stride(v, r, r.inner());
  print_to(v.rule, "the innermost dimension is contiguous (stride of 1 element, %d bytes): a tensor map cannot say "
                   "otherwise and would read it dense",
           r.element_size());
  print_to(v.fix, "reorder the dimensions so that the contiguous one is last, copy the tensor, or load it by threads");
}

/// M2: the base is not null. The driver makes such a map.
inline void base_not_null(const MapRequest& r, Report& report) {
  if (r.base) return;
  auto& v = error(report, "M2");
  print_to(v.field, "base");
  print_to(v.value, "null");
  print_to(v.rule, "the tensor lies in device memory; the driver accepts a null base, and the copy faults");
  print_to(v.fix, "allocate the tensor before making its descriptor");
}

/// M3: the base can be read by the device. The driver makes a map of any address.
inline void base_on_device(const MapRequest& r, Report& report) {
  if (r.base_kind != PointerKind::pageable_host || r.reads_pageable) return;
  auto& v = error(report, "M3");
  say_pointer(v, "base", r.base);
  print_to(v.rule, "this is ordinary host memory, which the device does not read; the driver accepts it, and the copy "
                   "faults");
  print_to(v.fix, "pass the device pointer (cudaMalloc), or pinned memory (cudaHostAlloc)");
}

/// M4: a store writes whole 16-byte pieces: an inner extent that ends inside one destroys what follows it in the pitch.
inline void store_ends_whole(const MapRequest& r, Report& report) {
  if (!r.stores || r.element_size() == 0) return;
  const int inner = r.inner();
  i64       row;
  if (__builtin_mul_overflow(r.extent[inner], i64(r.element_size()), &row) || row % 16 == 0) return;
  const i64 to = (row + 15) / 16 * 16;
  auto&     v  = error(report, "M4");
  print_to(v.field, "extent[%d]", inner);
  print_to(v.value, "%lld elements (%lld bytes)", r.extent[inner], row);
  print_to(v.rule, "a store writes whole 16-byte pieces: each row would be written to byte %lld, %lld bytes past its end",
           to, to - row);
  print_to(v.fix, "if the map is only loaded from, make it from a view of const elements; if the padding is yours to write, "
                  "give the extent as %lld; else store the last columns by threads",
           to / r.element_size());
}

/// M5: a store needs each element in one place: a stride of 0 puts many in one.
inline void store_not_broadcast(const MapRequest& r, Report& report) {
  if (!r.stores) return;
  for (int d = 0; d < r.inner(); ++d) {
    if (r.stride[d] != 0 || r.extent[d] <= 1) continue;
    auto& v = error(report, "M5");
    say_stride(v, r, d);
    print_to(v.rule, "a stride of 0 repeats one row %lld times: a store would write all of them to one place", r.extent[d]);
    print_to(v.fix, "if the map is only loaded from, make it from a view of const elements");
  }
}

/// M6: the tensor ends inside the address space.
inline void inside_address_space(const MapRequest& r, Report& report) {
  bool over = r.overflow;
  i64  last = 0;
  for (int d = 0; d < dimensions(r) && !over; ++d) {
    i64 step;
    if (r.extent[d] < 1 || r.stride[d] < 0) continue;  // T5 and T7 speak of these
    over = __builtin_mul_overflow(r.extent[d] - 1, r.stride[d], &step) || __builtin_add_overflow(last, step, &last);
  }
  if (!over && last < (i64(1) << 57)) return;
  auto& v = error(report, "M6");
  print_to(v.field, "extents x strides");
  if (over) print_to(v.value, "more than 2^63 bytes");
  else print_to(v.value, "%lld bytes to the last element", last);
  print_to(v.rule, "the tensor ends inside the address space; some product did not fit");
  print_to(v.fix, "look for an extent or stride that is in bytes where elements are meant, or negative and unsigned");
}

/// M7: what the device at hand does not have.
inline void device_has_it(const MapRequest& r, Report& report) {
  if (r.compute_capability == 0 || r.compute_capability >= 100) return;
  const bool atom = int(r.swizzle) >= int(Swizzle::bytes_128_atom_32);
  if (!atom && !is_packed(r.type)) return;
  auto& v = error(report, "M7");
  print_to(v.field, atom ? "swizzle" : "element type");
  print_to(v.value, "%s", atom ? swizzle_name(r.swizzle) : element_name(r.type));
  print_to(v.rule, "needs compute capability 10.0; this device has %d.%d", r.compute_capability / 10,
           r.compute_capability % 10);
  print_to(v.fix, atom ? "use tma::Swizzle::bytes_128" : "unpack the elements, or move them as bytes");
}

/// Every rule of a tiled tensor map.
using Rule = void (*)(const MapRequest&, Report&);
inline constexpr Rule tiled[] = {
  map_address,      element_type_known, rank_in_range,  base_aligned,      extents_in_range,   packed_row_whole,
  strides_aligned,  rows_apart,         box_in_range,   box_row_whole,     packed_box_row,     element_strides_in_range,
  interleave_known, swizzle_holds_row,  interleave_swizzle, packed_swizzle, enumerations_known, fill_fits_type,
  tile_fits_shared, swizzled_base,      extents_reachable, inner_dense,    base_not_null,      base_on_device,
  store_ends_whole, store_not_broadcast, inside_address_space, device_has_it,
};

}  // namespace rules

/// Every rule that `request` breaks.
inline Report check(const MapRequest& request) {
  Report report;
  for (rules::Rule rule : rules::tiled) rule(request, report);
  return report;
}

}  // namespace tma
