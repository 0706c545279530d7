#pragma once

#include "prologue.hpp"

namespace tma::inline TMA_ABI {

/// What the second-level cache does with a line that a copy touches. All of them are hints: they change when a line leaves
/// the cache, never what is read or written.
enum class CachePriority : int {
  evict_normal,     ///< as every access without a policy
  evict_first,      ///< among the first to leave: what is read once
  evict_last,       ///< among the last to leave: what is read again and again
  evict_unchanged,  ///< the line keeps the priority it has: what passes through without a mark
};

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
