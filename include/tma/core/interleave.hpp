#pragma once

#include "prologue.hpp"

namespace tma::inline TMA_ABI {

/// Channel-sliced layouts of rank 3 to 5 (CUtensorMapInterleave).
enum class Interleave : int { none = 0, bytes_16 = 1, bytes_32 = 2 };

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
