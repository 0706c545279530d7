#pragma once

#include "../core/prologue.hpp"

#include "../core/architecture.hpp"
#include "check.hpp"

#include TMA_DETAIL_PTX(_launch)

namespace tma::inline TMA_ABI {
namespace detail {

template <int Registers> TMA_HOST_DEVICE constexpr bool check_registers() {
  static_assert(Registers >= 24 && Registers <= 256 && Registers % 8 == 0,
                "tma: a thread's registers are 24 to 256, in steps of 8");
  return true;
}

}  // namespace detail

/// Gives registers back to the SM, for others to take: each thread of the warpgroup keeps `Registers`, 24 to 256 in steps of
/// 8. All four warps of a warpgroup (ranks 128 i to 128 i + 127 of the block), none diverged. The kernel is compiled for a
/// number that is fixed at its launch (`__launch_bounds__`), else the assembler ignores it, and says so
/// (setmaxnreg.dec). Nothing in a checked build, whose calls the assembler does not fit into fewer registers.
///
/// What is moved is the block's: all its warps together never have more than they began with, the kernel's registers a thread
/// times its threads. `__launch_bounds__(threads, 1)` makes that as many as there are.
template <int Registers> TMA_DEVICE void shrink_registers() {
  if constexpr (detail::check_registers<Registers>() && !detail::watched) ptx::register_budget_decrease<Registers>();
}

/// Takes registers that other warpgroups of the block have given back; waits until there are enough. Otherwise the same
/// (setmaxnreg.inc).
template <int Registers> TMA_DEVICE void grow_registers() {
  if constexpr (detail::check_registers<Registers>() && !detail::watched) ptx::register_budget_increase<Registers>();
}

namespace detail {

// What the roles of a pipeline move; nothing where the target has no such instruction.
template <int Registers> struct RegisterBudget {
  template <bool Grow> static TMA_DEVICE void move() {
    if constexpr (has(Feature::register_budget, target)) {
      if constexpr (Grow) grow_registers<Registers>();
      else shrink_registers<Registers>();
    }
  }
};

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
