// Checks of the device side. With TMA_CHECKED defined a broken rule prints itself and stops the kernel; without it the
// check is no code at all.
#pragma once

#include "ptx.hpp"

#if defined(TMA_CHECKED) && TMA_HAS_HOST
#  include <cstdio>
#endif

namespace tma::detail {

#if defined(TMA_CHECKED)
inline constexpr bool checked = true;
#else
inline constexpr bool checked = false;
#endif

// `rule` says what is wrong and how to mend it; `value` is what was found.
TMA_DEVICE void check([[maybe_unused]] bool holds, [[maybe_unused]] const char* rule, [[maybe_unused]] i64 value) {
#if defined(TMA_CHECKED)
  if (!holds) {
    printf("tma: block (%u, %u, %u) thread %u: %s (found %lld)\n", blockIdx.x, blockIdx.y, blockIdx.z, ptx::thread_rank(),
           rule, value);
    ptx::trap();
  }
#endif
}

}  // namespace tma::detail
