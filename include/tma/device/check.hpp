// Checks of the device side. With TMA_CHECKED defined a broken rule says so, to the host as well (host/synchronize.hpp), and stops
// the kernel; without it the check is no code at all.
#pragma once

#include "../core/prologue.hpp"

#include "instructions.hpp"

namespace tma::inline TMA_ABI::detail {

#if defined(TMA_CHECKED)
inline constexpr bool checked = true;
#else
inline constexpr bool checked = false;
#endif

// The same on a device alone: what the CPU machine says in words of its own.
#if defined(TMA_DETAIL_WATCHED)
inline constexpr bool watched = true;
#else
inline constexpr bool watched = false;
#endif

// `rule` says what is wrong and how to mend it; `value` is what was found.
TMA_DEVICE void check([[maybe_unused]] bool holds, [[maybe_unused]] const char* rule, [[maybe_unused]] i64 value) {
#if defined(TMA_CHECKED)
  if (!holds) ptx::fail(rule, value);
#endif
}

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
