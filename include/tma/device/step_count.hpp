// The number of steps that a function is asked for.
#pragma once

#include "../core/prologue.hpp"

#include "../core/count.hpp"
#include "check.hpp"

namespace tma::inline TMA_ABI::detail {

// `count` as an int, or as a long long where it has 64 bits.
template <class Count> TMA_DEVICE step_t<Count> step_count(Count count) {
  const auto n = +count;
  if constexpr (checked && !is_signed_integer_v<promoted_t<Count>>)
    check(step_t<Count>(n) >= 0,
          "a count without sign must be at most 2^31 - 1, of 64 bits at most 2^63 - 1. Fix: look for a subtraction that "
          "went below zero; give a 32-bit count above 2^31 - 1 as 64 bits: (long long)(count); the count",
          i64(n));
  return step_t<Count>(n);
}

// That a function to which the step is handed, behind arguments `A` and perhaps before a last one, does not cut it.
template <class Step, class Last, class F, class... A> TMA_HOST_DEVICE constexpr bool check_step() {
  static_assert(
      !cuts_step<Step, Last, F, A...>(),
      "tma: the count has 64 bits, and this function takes the step as a narrower number, which would cut it. Take "
      "long long (or auto), or give the count as an int, where it is known to fit: int(count)");
  return true;
}

template <class Count> TMA_HOST_DEVICE constexpr bool check_count() {
  static_assert(is_count_v<Count>, "tma: a count must be an integer");
  return is_count_v<Count>;
}

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
