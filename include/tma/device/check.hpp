// Checks of the device side. With TMA_CHECKED defined a broken rule prints itself and stops the kernel; without it the
// check is no code at all.
#pragma once

#include "instructions.hpp"

namespace tma::detail {

#if defined(TMA_CHECKED)
inline constexpr bool checked = true;
#else
inline constexpr bool checked = false;
#endif

// `rule` says what is wrong and how to mend it; `value` is what was found.
TMA_DEVICE void check([[maybe_unused]] bool holds, [[maybe_unused]] const char* rule, [[maybe_unused]] i64 value) {
#if defined(TMA_CHECKED)
  if (!holds) ptx::fail(rule, value);
#endif
}

}  // namespace tma::detail
