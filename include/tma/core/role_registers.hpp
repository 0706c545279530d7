#pragma once

#include "prologue.hpp"

namespace tma::inline TMA_ABI {

/// What the roles of a kernel take of a block's registers (setmaxnreg), for `LaunchConfig::registers`. From
/// `tma::registers_of(producers, consumers)`. None: nothing is checked.
struct RoleRegisters {
  /// Warps of the roles; the whole warpgroup that is the producers'.
  int warps = 0;
  /// Registers of all their threads together, once each role has what it names.
  int registers = 0;
};

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
