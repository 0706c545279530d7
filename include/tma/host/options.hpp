#pragma once

#include "../core/prologue.hpp"

#include "../core/fill.hpp"
#include "../core/interleave.hpp"

namespace tma::inline TMA_ABI {

/// How much the engine fetches into L2 for a miss (CUtensorMapL2promotion).
enum class TMA_PUBLIC Promotion : int { none = 0, bytes_64 = 1, bytes_128 = 2, bytes_256 = 3 };

/// What a tensor map can be told beyond tensor and tile. `{.promotion = tma::Promotion::bytes_256}`
struct TMA_PUBLIC Options {
  Promotion  promotion  = Promotion::none;
  Fill       fill       = Fill::zero;
  Interleave interleave = Interleave::none;
  /// Every n-th element of a dimension, slowest first, 1 to 8; 0 stands for 1. The tile keeps its shape: the box in
  /// global memory widens. The innermost is ignored by the engine and must be 1. One beyond the tensor's rank is refused.
  int element_strides[5] = {0, 0, 0, 0, 0};
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
