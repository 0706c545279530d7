#pragma once

#include "prologue.hpp"

#include "copy_place.hpp"

namespace tma::inline TMA_ABI {

/// What a tensor copy is for.
enum class CopyUse : int { load, store, reduce, prefetch };

/// What is wrong with a tensor copy as it is issued, of whatever traversal. The map itself is another matter.
enum class PlaceFault : int {
  none,
  another_traversal,   ///< the map was made for another one: stops the kernel
  another_rank,        ///< the map has another rank: stops the kernel
  inner_unaligned,     ///< the innermost coordinate is no multiple of 16 bytes (M8): stops the kernel
  outside_box,         ///< the first pixel lies outside the bounding box: stops the kernel
  box_outside_tensor,  ///< a store or a reduction through corners that lie outside the tensor: stops the kernel
  negative,            ///< a store or a reduction begins before the tensor (M9): stops the kernel
  tile_misaligned,     ///< the tile lies at no multiple of 128 (M9): stops the kernel
  offset_too_large,    ///< an offset of im2col is more than its bits hold: undefined
};

namespace detail {

TMA_HOST_DEVICE constexpr bool takes_traversal(const TensorBox& box, Traversal traversal) {
  if (traversal == Traversal::rows4)
    return box.traversal <= Traversal::rows4 && box.rank == 2 && box.box[0] == 1 && box.interleave == Interleave::none;
  return traversal == Traversal::tiled ? box.traversal <= Traversal::rows4 : box.traversal == traversal;
}

// The dimensions that an im2col copy walks lie from here to before `end`, and have corners this far below them.
struct Walk {
  int first, end, corner;
};
TMA_HOST_DEVICE constexpr Walk walk_of(const TensorBox& box) {
  if (box.interleave != Interleave::none) return {2, box.rank, 1};
  return {box.traversal == Traversal::im2col ? 1 : box.inner() - 1, box.inner(), 0};
}

TMA_HOST_DEVICE constexpr PlaceFault check_im2col_place(const TensorBox& box, const CopyPlace& place, CopyUse use) {
  const Walk w     = walk_of(box);
  const bool wide  = place.traversal != Traversal::im2col;
  const int  bits  = box.rank == 3 ? 16 : box.rank == 4 ? 8 : 5;
  const bool walks = use == CopyUse::store || use == CopyUse::reduce;
  for (int d = w.first; d < w.end; ++d) {
    const i64 low = box.lower[d - w.corner], high = box.extent[d] + box.upper[d - w.corner];
    if (walks && (low < 0 || high > box.extent[d])) return PlaceFault::box_outside_tensor;
    // Along w alone the first pixel may lie to the left.
    if ((!wide && place.at[d] < low) || place.at[d] >= high) return PlaceFault::outside_box;
  }
  for (int i = 0; i < box.rank - 2; ++i)
    if (!wide && (place.offset[i] < 0 || place.offset[i] >= 1 << bits)) return PlaceFault::offset_too_large;
  if (wide && (place.offset[0] >= (place.traversal == Traversal::im2col_w ? 512 : 32) || place.offset[1] >= 32))
    return PlaceFault::offset_too_large;
  return PlaceFault::none;
}

}  // namespace detail

/// The fault of a tensor copy through a map that says `box`, from or to `shared` in the shared window. `rank` is the
/// instruction's. Of several faults one that stops the kernel is told.
TMA_HOST_DEVICE constexpr PlaceFault check_copy_place(const TensorBox& box, int rank, const CopyPlace& place,
                                                      detail::u32 shared, CopyUse use) {
  if (!detail::takes_traversal(box, place.traversal)) return PlaceFault::another_traversal;
  if (box.rank != rank) return PlaceFault::another_rank;
  const bool rows4 = place.traversal == Traversal::rows4, pixels = place.traversal >= Traversal::im2col;
  const int  last = rows4 ? 4 : box.inner();
  if (box.interleave == Interleave::none && detail::i64(place.at[last]) * element_bytes(box.type) % 16 != 0)
    return PlaceFault::inner_unaligned;
  const PlaceFault walk = pixels ? detail::check_im2col_place(box, place, use) : PlaceFault::none;
  if (walk != PlaceFault::none && walk != PlaceFault::offset_too_large) return walk;
  // Of four rows each may be anywhere.
  for (int d = rows4 ? 4 : 0; (use == CopyUse::store || use == CopyUse::reduce) && d <= last; ++d)
    if (place.at[d] < 0) return PlaceFault::negative;
  if (use != CopyUse::prefetch && shared % 128 != 0) return PlaceFault::tile_misaligned;
  return walk;
}

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
