#pragma once

#include "prologue.hpp"

#include "im2col_transfer.hpp"
#include "interleave_transfer.hpp"

namespace tma::inline TMA_ABI {

/// Calls `visit(chunk)` for every chunk of a copy, of whatever traversal and layout, in the order of shared memory before the
/// swizzle.
template <class Visit>
TMA_HOST_DEVICE constexpr void for_each_chunk(const TensorBox& box, const CopyPlace& place, detail::u32 shared,
                                              Visit visit) {
  const bool interleaved = box.interleave != Interleave::none;
  switch (place.traversal) {
    case Traversal::tiled:
      if (interleaved) for_each_interleaved_chunk(box, place, shared, visit);
      else for_each_chunk(box, place.at, shared, visit);
      break;
    case Traversal::rows4: for_each_rows4_chunk(box, place, shared, visit); break;
    default:
      if (interleaved) for_each_interleaved_im2col_chunk(box, place, shared, visit);
      else for_each_im2col_chunk(box, place, shared, visit);
  }
}

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
