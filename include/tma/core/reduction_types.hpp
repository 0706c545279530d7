// Which element types a reduction takes, and the refusal of others.
#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "element.hpp"
#include "reduction.hpp"

namespace tma::inline TMA_ABI {
namespace detail {

// Where a reduction's result is: a tensor (the map says the type), elements in a row of global memory, another block's
// shared memory.
enum class ReducedPlace : int { tensor, global, peer };

// ptxas was asked for every pair of the one-dimensional forms; a tensor's pairs are not in its text but in its map, and an
// H200 was asked for those: others are illegal instructions.
TMA_HOST_DEVICE constexpr bool reduces(Reduction operation, ElementType type, ReducedPlace place) {
  using enum ElementType;
  const bool peer = place == ReducedPlace::peer, four = type == u32 || type == i32, eight = type == u64 || type == i64;
  const bool two = type == f16 || type == bf16;
  switch (operation) {
    case Reduction::add:
      if (type == i64) return place != ReducedPlace::tensor;
      if (type == f32_ftz || type == tf32 || type == tf32_ftz) return place == ReducedPlace::tensor;
      return four || eight || (!peer && (two || type == f32 || type == f64));
    case Reduction::min:
    case Reduction::max: return four || (!peer && (eight || two));
    case Reduction::inc:
    case Reduction::dec: return type == u32;
    case Reduction::bit_and:
    case Reduction::bit_or:
    case Reduction::bit_xor: return four || (type == u64 && !peer) || (type == i64 && place == ReducedPlace::global);
  }
  return false;
}

// A function of its own, so that the compiler's "in instantiation of" line names operation and type.
template <Reduction Op, ElementType Type, ReducedPlace Place> TMA_HOST_DEVICE constexpr bool check_reduction() {
  static_assert(
      Op != Reduction::add || Place == ReducedPlace::peer || reduces(Op, Type, Place),
      "tma: the copy engine does not add elements of this type. It adds u32, i32, u64, f16, bf16, f32 and f64 (i64 "
      "in a chunk, f32_ftz, tf32 and tf32_ftz through a descriptor); view i64 as u64, whose sums have the same "
      "bits, and add others by threads");
  static_assert((Op != Reduction::min && Op != Reduction::max) || Place == ReducedPlace::peer || reduces(Op, Type, Place),
                "tma: the copy engine has no min and max of this element type. It has them of u32, i32, u64, i64, f16 and "
                "bf16; compare others by threads");
  static_assert((Op != Reduction::inc && Op != Reduction::dec) || reduces(Op, Type, Place),
                "tma: the copy engine counts (inc, dec) in unsigned int alone");
  static_assert(
      Op < Reduction::bit_and || Place == ReducedPlace::peer || reduces(Op, Type, Place),
      "tma: the copy engine has bit_and, bit_or and bit_xor of u32, i32 and u64 alone (i64 in a chunk). View the bits "
      "of other types as these");
  static_assert(Op == Reduction::inc || Op == Reduction::dec || Place != ReducedPlace::peer || reduces(Op, Type, Place),
                "tma: into a peer's shared memory the copy engine adds u32, i32, u64 and i64, and has min, max, bit_and, "
                "bit_or and bit_xor of u32 and i32; no floating point. Send the tile, and let the peer's threads reduce");
  return true;
}

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
