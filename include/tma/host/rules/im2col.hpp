// What an im2col map asks beyond what any map does: bounding box, pixels and channels (I rules); and what the modes that walk
// along w alone ask (W rules). A row of its box is one pixel, so T10, T11 and T14 to T17 hold of its channels.
#pragma once

#include "../../core/prologue.hpp"

#include "device.hpp"
#include "tile.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {
namespace rules {

namespace detail_ {

inline bool is_wide(const MapRequest& r) {
  return r.traversal == Traversal::im2col_w || r.traversal == Traversal::im2col_w128;
}

// The dimensions that have corners lie between n and c.
inline int first_corner(const MapRequest& r) { return is_wide(r) && r.inner() > 1 ? r.inner() - 1 : 1; }

// "lower[0]", as Im2colBox counts; the w modes have but one.
struct CornerName {
  char text[16];
  CornerName(const MapRequest& r, const char* corner, int d) {
    if (is_wide(r)) TMA_DETAIL_STDIO(snprintf)(text, sizeof text, "%s", corner);
    else TMA_DETAIL_STDIO(snprintf)(text, sizeof text, "%s[%d]", corner, d - 1);
  }
};

inline int corner_limit(const MapRequest& r) {
  return is_wide(r) || r.rank <= 3 ? 32768 : r.rank == 4 ? 128 : 16;  // -limit to limit - 1
}

inline bool is_corner(const MapRequest& r, int corner) { return corner >= -corner_limit(r) && corner < corner_limit(r); }

}  // namespace detail_

/// I1: rank 3 to 5.
inline void im2col_rank(const MapRequest& r, Report& report) {
  if (r.rank >= 3 && r.rank <= 5) return;
  report.error("I1", "rank|%d|an im2col tensor has rank 3 to 5: [n][w][c], [n][h][w][c] or [n][d][h][w][c]|%s", r.rank,
               r.rank > 5 ? "merge dimensions that are contiguous" : "add dimensions of extent 1");
}

/// I2: corners fit the bits that the map has for them.
inline void corners_in_range(const MapRequest& r, Report& report) {
  for (int d = first_corner(r); d < r.inner(); ++d)
    for (int upper = 0; upper < 2; ++upper) {
      const int corner = upper ? r.upper[d] : r.lower[d], limit = corner_limit(r);
      if (is_corner(r, corner)) continue;
      report.error("I2", "%s|%d|a corner of the bounding box is %d to %d%s|%s",
                   CornerName(r, upper ? "upper" : "lower", d).text, corner, -limit, limit - 1,
                   limit == 32768 ? ""
                   : r.rank == 4  ? " at rank 4"
                                  : " at rank 5",
                   limit == 32768 ? "split the dimension"
                                  : "pad or crop the tensor itself, or use fewer spatial dimensions");
    }
}

/// I3: the bounding box holds at least one pixel, and ends below 2^31.
inline void corners_apart(const MapRequest& r, Report& report) {
  for (int d = first_corner(r); d < r.inner(); ++d) {
    // An interleaved layout has its slices in dimension 1, and what corners belong to behind them.
    const i64 extent = r.extent[r.interleave == Interleave::none ? d : d + 1];
    if (!is_corner(r, r.lower[d]) || !is_corner(r, r.upper[d]) || !is_extent(extent)) continue;
    const i64 end = extent + r.upper[d], pixels = end - r.lower[d];
    if (int(detail::u32(end)) > r.lower[d]) continue;  // the driver counts in 32 bits
    if (pixels >= 1)
      report.error(
          "I3",
          "%s|%d with extent %lld|the bounding box ends below 2^31: extent + upper is %lld, and the driver counts in "
          "32 bits|split the dimension",
          CornerName(r, "upper", d).text, r.upper[d], extent, end);
    else
      report.error(
          "I3",
          "%s|%d with lower %d and extent %lld|the bounding box holds at least one pixel in each dimension: extent + "
          "upper - lower is %lld|the filter is larger than the padded tensor: check padding, filter and dilation in "
          "upper = padding - (filter - 1) * dilation",
          CornerName(r, "upper", d).text, r.upper[d], r.lower[d], extent, pixels);
  }
}

/// I4: 1 to 256 channels.
inline void channels_in_range(const MapRequest& r, Report& report) {
  const int channels = r.box[r.inner()];
  if (channels >= 1 && channels <= 256) return;
  report.error("I4", "channels|%d|a copy brings 1 to 256 channels of each pixel|%s", channels,
               channels > 256 ? "load several smaller tiles along the channels" : "give the tile at least one channel");
}

/// I5: 1 to 1024 pixels.
inline void pixels_in_range(const MapRequest& r, Report& report) {
  if (r.pixels >= 1 && r.pixels <= 1024) return;
  report.error("I5", "pixels|%d|a copy brings 1 to 1024 pixels|%s", r.pixels,
               r.traversal == Traversal::im2col_w128 ? "make the tile 128 pixels, or use tma::Im2colW"
               : r.pixels > 1024                     ? "load several smaller tiles"
                                                     : "give the tile at least one pixel");
}

/// I10: what is stored lies in the tensor, and so does the bounding box that stores walk in.
inline void im2col_store_inside(const MapRequest& r, Report& report) {
  for (int d = first_corner(r); r.stores && d < r.inner(); ++d)
    for (int upper = 0; upper < 2; ++upper) {
      const int corner = upper ? r.upper[d] : r.lower[d];
      if (upper ? corner <= 0 : corner >= 0) continue;
      report.error("I10",
                   "%s|%d|an im2col store stays inside the tensor: lower corners are 0 or above, upper corners 0 or below|"
                   "if the map is only loaded from, make it from a view of const elements; else give stores a map of their "
                   "own",
                   CornerName(r, upper ? "upper" : "lower", d).text, corner);
    }
}

/// W1: the modes that walk along w alone came with compute capability 10. A driver of CUDA 13.0 makes their maps for any
/// device, whatever their swizzle and interleave; hardware of capability 9.0 knows no instruction for them.
inline void wide_device(const MapRequest& r, Report& report) {
  if (!is_wide(r) || r.compute_capability == 0 || r.compute_capability >= 100) return;
  report.error("W1", "traversal|%s|needs compute capability 10.0; this device has %d.%d|use tma::Im2col",
               r.traversal == Traversal::im2col_w ? "im2col_w" : "im2col_w128", r.compute_capability / 10,
               r.compute_capability % 10);
}

/// W2: these modes know few swizzles.
inline void wide_swizzle(const MapRequest& r, Report& report) {
  if (!is_wide(r) || r.swizzle == Swizzle::bytes_64 || r.swizzle == Swizzle::bytes_128 ||
      r.swizzle == Swizzle::bytes_128_atom_32)
    return;
  report.error("W2",
               "swizzle|%s|im2col along w takes the swizzles bytes_64, bytes_128 and bytes_128_atom_32|"
               "use tma::Swizzle::bytes_128, or tma::Im2col",
               swizzle_name(r.swizzle));
}

/// W3: these modes are not interleaved.
inline void wide_not_interleaved(const MapRequest& r, Report& report) {
  if (!is_wide(r) || r.interleave == Interleave::none) return;
  report.error("W3", "interleave|%d|im2col along w is not interleaved|use tma::Interleave::none, or tma::Im2col",
               int(r.interleave));
}

/// W4: im2col_w128 brings 128 pixels. Of 1 to 1024 the driver takes any number.
inline void wide_pixels(const MapRequest& r, Report& report) {
  if (r.traversal != Traversal::im2col_w128 || r.pixels == 128 || r.pixels < 1 || r.pixels > 1024) return;
  report.error("W4", "pixels|%d|im2col_w128 always brings 128 pixels|make the tile 128 pixels, or use tma::Im2colW",
               r.pixels);
}

/// Every rule of an im2col map.
inline constexpr Rule im2col[] = {
    map_address,         element_type_known,    im2col_rank,          base_aligned,
    extents_in_range,    packed_row_whole,      strides_aligned,      rows_apart,
    corners_in_range,    corners_apart,         channels_in_range,    pixels_in_range,
    im2col_store_inside, box_row_whole,         packed_box_row,       interleave_known,
    swizzle_holds_row,   interleave_swizzle,    packed_swizzle,       wide_device,
    wide_swizzle,        wide_not_interleaved,  wide_pixels,          element_strides_in_range,
    enumerations_known,  fill_fits_type,        tile_fits_shared,     swizzled_base,
    extents_reachable,   inner_dense,           base_not_null,        base_on_device,
    store_ends_whole,    store_not_broadcast,   inside_address_space, device_has_it,
    box_counted,         innermost_not_strided, interleave_one_slice, base_reached,
};

}  // namespace rules

/// Every rule that `request`, for an im2col map, breaks.
[[nodiscard]] inline Report check_im2col(const MapRequest& request) { return rules::check(request, rules::im2col); }

/// What is wrong with the offsets of an im2col load, slowest dimension first, at this rank of the tensor (rule I9): they are
/// unsigned, of 16 bits at rank 3, 8 at rank 4 and 5 at rank 5. No host call sees them.
template <int Dimensions> [[nodiscard]] Report check_im2col_offsets(const int (&offsets)[Dimensions]) {
  static_assert(Dimensions >= 1 && Dimensions <= 3,
                "tma::check_im2col_offsets: one offset for each dimension between n and c");
  constexpr int limit = Dimensions == 1 ? 65536 : Dimensions == 2 ? 256 : 32;
  Report        report;
  for (int d = 0; d < Dimensions; ++d)
    if (offsets[d] < 0 || offsets[d] >= limit)
      report.error("I9",
                   "offset[%d]|%d|an offset of an im2col load is 0 to %d with %d of them|"
                   "move the bounding box (its lower corner) so that the filter starts at 0, or view the tensor with fewer "
                   "spatial dimensions",
                   d, offsets[d], limit - 1, Dimensions);
  return report;
}

}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../../core/epilogue.hpp"
