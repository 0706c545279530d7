#pragma once

#include "../core/prologue.hpp"

#include "instructions.hpp"

#include TMA_DETAIL_PTX(_launch)

namespace tma::inline TMA_ABI {

/// Until all grids that this one depends on have ended and what they wrote is visible. Any thread that reads it, before it
/// does, and before it issues a copy of it. Returns at once in a kernel that was launched without
/// `.order = tma::StreamOrder::programmatic`, which starts after them anyway (griddepcontrol.wait).
TMA_DEVICE void wait_for_previous_grid() { ptx::grid_dependency_wait(); }

/// Lets grids that depend on this one start, once every block has called this or ended: what they do before their
/// `wait_for_previous_grid` overlaps with what is left here. Makes nothing visible to them. Any thread of a block, once or
/// more (griddepcontrol.launch_dependents).
TMA_DEVICE void let_next_grid_start() { ptx::grid_dependency_launch(); }

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
