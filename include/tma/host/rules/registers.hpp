// The rules of kernels whose roles move registers: R1 and R2. Asked by the launch that says so (LaunchConfig::registers).
#pragma once

#include "../../core/prologue.hpp"

#include "../../core/meta.hpp"
#include "../../core/role_registers.hpp"
#include "../report.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI::detail {

#if TMA_HAS_HOST_TEXT

// `a_thread`: registers that the kernel begins with (cudaFuncAttributes::numRegs); 0 where nobody knows. What is moved is moved
// within a block: `setmaxnreg.inc` waits until the block's own warps have given back enough.
inline void check_registers(Report& report, const RoleRegisters& roles, u64 threads, int a_thread) {
  if (roles.registers <= 0) return;
  const u64 wanted = u64(roles.registers), of_roles = u64(roles.warps) * 32;
  if (threads < of_roles)
    report.error("R1",
                 "block|%llu threads, the roles have %d warps|the block must have all warps of the roles that move "
                 "registers|launch %llu threads",
                 threads, roles.warps, of_roles);
  const u64 each = u64(a_thread + 7) / 8 * 8;
  if (a_thread > 0 && wanted > each * of_roles)
    report.error("R2",
                 "registers|%llu of %llu threads that begin with %llu each|the registers that the roles take must not be "
                 "more than their threads begin with, here %llu, or a consumer waits for them forever (setmaxnreg.inc)|"
                 "compile the kernel with __launch_bounds__(%llu, 1), one block to an SM, or give the roles fewer. For a "
                 "target without a "
                 "letter (sm_90), where none move, leave .registers out",
                 wanted, of_roles, each, each * of_roles, of_roles);
}

#endif

}  // namespace tma::inline TMA_ABI::detail

TMA_DETAIL_COLD_END

#include "../../core/epilogue.hpp"
