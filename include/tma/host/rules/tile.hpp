// What a tensor map asks of the tile: box, element strides, swizzle.
#pragma once

#include "../../core/prologue.hpp"

#include "tensor.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {
namespace rules {

/// T9: every extent of the box is 1 to 256.
inline void box_in_range(const MapRequest& r, Report& report) {
  for (int d = 0; d < dimensions(r); ++d) {
    if (r.box[d] >= 1 && r.box[d] <= 256) continue;
    // What is above any shared memory, or below zero, nobody has asked for.
    report.error("T9", "box[%d]|%d|a box must be 1 to 256 elements in each dimension%s|%s", d, r.box[d],
                 r.element_stride[d] > 1 ? ", the elements that a stride skips included" : "",
                 r.box[d] > 256 * 1024 ? "look for a number that wrapped around, or the tensor's extent in the tile's place"
                 : r.box[d] > 256      ? "load several smaller tiles, or view the dimension as two"
                 : r.box[d] < 0        ? "look for a subtraction or a cast that went below zero"
                                       : "give the tile at least one element");
  }
}

/// T10: a row of the box is a multiple of 16 bytes, of an interleaved box too, although that counts pixels there.
inline void box_row_whole(const MapRequest& r, Report& report) {
  const int inner = r.inner(), box = r.box[inner], size = r.element_size();
  if (box < 1) return;  // of no element at all T9 speaks
  if (r.type == ElementType::u4_align8 && box % 32 != 0)
    report.error("T10", "box[%d]|%d elements of u4_align8|a row of the box is a multiple of 32 such elements|make it %d",
                 inner, box, (box + 31) / 32 * 32);
  if (size == 0 || row_bytes(r) % 16 == 0) return;
  report.error("T10",
               "box[%d]|%d elements of %s (%lld bytes)|a row of the box is a multiple of 16 bytes; the remainder is %lld|"
               "make the row %lld elements wide (what lies outside the tensor is filled), or load it by threads",
               inner, box, element_name(r.type), row_bytes(r), row_bytes(r) % 16, (row_bytes(r) + 15) / 16 * 16 / size);
}

/// T11: the 16-byte packed types have a row of 128 elements.
inline void packed_box_row(const MapRequest& r, Report& report) {
  if (!align16b(r.type) || r.box[r.inner()] == 128) return;
  report.error("T11", "box[%d]|%d|a row of the box is exactly 128 elements of %s|make it 128", r.inner(), r.box[r.inner()],
               element_name(r.type));
}

/// T12: element strides are 1 to 8, and belong to a dimension of the tensor.
inline void element_strides_in_range(const MapRequest& r, Report& report) {
  for (int d = 0; d < dimensions(r); ++d) {
    const int s = r.element_stride[d];
    if (is_element_stride(s)) continue;
    report.error("T12",
                 "element_strides[%d]|%d|an element stride is 1 to 8|"
                 "use a larger stride of the view instead, with a smaller extent",
                 d, s);
  }
  for (int d = dimensions(r); d < 5; ++d)
    if (r.element_stride[d] != 1)
      report.error(
          "T12",
          "element_strides[%d]|%d|an element stride must belong to a dimension of the tensor, slowest first; this one "
          "has %d dimension%s|leave it out, or move it to the dimension that is meant",
          d, r.element_stride[d], dimensions(r), dimensions(r) == 1 ? "" : "s");
}

/// M13: without interleave the innermost element stride is 1. The driver makes a map with another, and copies take no notice.
inline void innermost_not_strided(const MapRequest& r, Report& report) {
  const int s = r.element_stride[r.inner()];
  if (r.interleave != Interleave::none || s == 1 || !is_element_stride(s)) return;
  report.error("M13",
               "element_strides[%d]|%d|the engine ignores the stride of the innermost dimension and would read dense rows|"
               "view the tensor with one more dimension, and step over the outer of the two",
               r.inner(), s);
}

/// T14: without interleave a swizzled row is at most as wide as the swizzle.
inline void swizzle_holds_row(const MapRequest& r, Report& report) {
  const int span = swizzle_span(r.swizzle);
  if (r.interleave != Interleave::none || span == 0 || row_bytes(r) <= span) return;
  report.error("T14",
               "box[%d]|%d elements of %s (%lld bytes)|a row under swizzle %s is at most %d bytes|"
               "make the row %d elements and load %lld tiles side by side, or %s",
               r.inner(), r.box[r.inner()], element_name(r.type), row_bytes(r), swizzle_name(r.swizzle), span,
               r.element_size() ? span / r.element_size() : 2 * span, (row_bytes(r) + span - 1) / span,
               span < 128 ? "use a wider swizzle" : "use no swizzle");
}

/// T15 (warning): 32-byte interleave goes with the 32-byte swizzle, by the vendor's text.
inline void interleave_swizzle(const MapRequest& r, Report& report) {
  if (r.interleave != Interleave::bytes_32 || r.swizzle == Swizzle::bytes_32) return;
  report.warning(
      "T15",
      "swizzle|%s|the driver's text asks for the 32-byte swizzle with a 32-byte interleave; a driver of CUDA 13.0 "
      "and hardware of capability 9.0 take every one|use tma::Swizzle::bytes_32 where other drivers are to be met",
      swizzle_name(r.swizzle));
}

/// M14: a tile of an interleaved layout has the channels of one slice, which is what a copy moves, whatever the box says.
inline void interleave_one_slice(const MapRequest& r, Report& report) {
  if (r.interleave != Interleave::bytes_16 && r.interleave != Interleave::bytes_32) return;
  const int slice = r.interleave == Interleave::bytes_16 ? 16 : 32, size = r.element_size();
  const int d = r.is_im2col() ? r.inner() : 1;
  if (size == 0 || r.rank < 3 || r.rank > 5 || r.box[d] < 1 || !is_element_stride(r.element_stride[d])) return;
  const int channels = r.tile_extent(d);
  if (channels * size == slice) return;
  report.error(
      "M14",
      "box[%d]|%d channels of %s (%d bytes)|a copy of an interleaved layout moves one slice of %d bytes, whatever the "
      "box says: a barrier that expects the tile's bytes would wait for ever|make it %d channels",
      d, channels, element_name(r.type), channels * size, slice, slice / size);
}

/// T16: the 6-bit type knows few swizzles. T17: so does the 16-byte 4-bit type, which is only loaded.
inline void packed_swizzle(const MapRequest& r, Report& report) {
  if (!align16b(r.type)) return;
  const bool six  = r.type == ElementType::u6_align16;
  const bool both = r.swizzle == Swizzle::none || r.swizzle == Swizzle::bytes_128 || r.swizzle == Swizzle::bytes_128_atom_32;
  // The 64-byte atom is for stores of the 6-bit type: a map that is only loaded from has no use for it.
  if (!both && !(six && r.stores && r.swizzle == Swizzle::bytes_128_atom_64))
    report.error(six ? "T16" : "T17", "swizzle|%s|%s takes none, bytes_128, bytes_128_atom_32%s|use tma::Swizzle::bytes_128",
                 swizzle_name(r.swizzle), element_name(r.type), six ? " and, for stores, bytes_128_atom_64" : "");
  if (!six && r.stores)
    report.error("T17",
                 "access|store|u4_align16 is loaded only: no store takes it|make the map from a view of const elements");
}

/// T20: the tile fits a block's shared memory.
inline void tile_fits_shared(const MapRequest& r, Report& report) {
  const i64 bytes = r.footprint_bytes();
  if (bytes <= r.shared_limit) return;
  report.error("T20",
               "box|%lld bytes of shared memory|a tile fits the %d bytes of shared memory that a block can have here|"
               "make the tile smaller; a pipeline holds several of them",
               bytes, r.shared_limit);
}

/// T24: the driver makes maps of boxes of up to 228 KiB, the shared memory of a multiprocessor. Of each dimension it counts
/// extent / element stride, rounded down; slices of an interleaved box as well, which are not copied. Where a block's limit
/// is known, T20 speaks of what is too large for it.
inline void box_counted(const MapRequest& r, Report& report) {
  constexpr int limit = 228 * 1024;
  i64           bytes = r.element_size();
  for (int d = 0; d < dimensions(r); ++d) {
    if (r.box[d] < 1 || r.box[d] > 256 || !is_element_stride(r.element_stride[d])) return;  // T9, I4 and T12 speak of these
    bytes *= r.is_im2col() ? r.box[d] : r.box[d] / r.element_stride[d];
  }
  if (r.is_im2col() && r.pixels > 1024) return;  // I5
  if (r.is_im2col()) bytes *= r.pixels;
  if (bytes <= limit || (r.shared_limit < limit && r.footprint_bytes() > r.shared_limit)) return;
  report.error("T24",
               "box|%lld bytes, slices included|the driver makes maps of boxes of up to %d bytes|make the tile smaller",
               bytes, limit);
}

/// G1: rows that are gathered or scattered are plain ones: no interleave, no row stepped over.
inline void rows4_plain(const MapRequest& r, Report& report) {
  if (r.traversal != Traversal::rows4) return;
  if (r.interleave != Interleave::none)
    report.error("G1", "interleave|%d|four rows are gathered from a tensor without interleave|use tma::Interleave::none",
                 int(r.interleave));
  if (r.element_stride[0] != 1)
    report.error("G1",
                 "element_strides[0]|%d|each of the four rows is named by itself: there is none to step over|leave it 1",
                 r.element_stride[0]);
}

}  // namespace rules
}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../../core/epilogue.hpp"
