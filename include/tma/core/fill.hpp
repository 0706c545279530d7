#pragma once

#include "prologue.hpp"

namespace tma::inline TMA_ABI {

/// What a load writes for elements outside the tensor (CUtensorMapFloatOOBfill): zeros, or for floating types a NaN that
/// `fma.oob` recognises.
enum class Fill : int { zero = 0, nan = 1 };

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
