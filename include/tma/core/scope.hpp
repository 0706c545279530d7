#pragma once

#include "prologue.hpp"

namespace tma::inline TMA_ABI {

/// The threads to which something is made visible, or from which it is taken.
enum class Scope : int { block, cluster, device, system };

/// Whether an operation on a barrier orders the memory around it: `ordered` releases where it arrives and acquires where it
/// waits; `relaxed` does neither.
enum class Order : int { ordered, relaxed };

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
