#pragma once

#include "../core/prologue.hpp"

namespace tma::inline TMA_ABI {

/// When a kernel may start, beside the one before it in its stream.
enum class TMA_PUBLIC StreamOrder : unsigned char {
  /// When that one has ended; all it wrote is visible.
  after_previous,
  /// Programmatic dependent launch (cudaLaunchAttributeProgrammaticStreamSerialization): as soon as every block of the
  /// previous kernel has called `tma::let_next_grid_start()` or ended. It runs beside what is left of that one. A thread
  /// calls `tma::wait_for_previous_grid()` before it reads what the previous kernel writes, or issues a copy of it, and
  /// before it overwrites what the previous kernel reads; what stands before that call overlaps: barriers, descriptors,
  /// data that no kernel changes. Both calls are in <tma/device/grid_dependency.hpp>. sm_90 and newer.
  programmatic
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
