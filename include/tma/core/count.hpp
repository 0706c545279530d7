// Counts and indices as parameters, so that none is cut without a word.
#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "meta.hpp"

namespace tma::inline TMA_ABI::detail {

// What `+i` is: int of all smaller types, the number of an enumeration or of an integral_constant.
template <class I> using promoted_t = remove_cv_t<decltype(+declared<const I&>())>;

template <class I> inline constexpr bool is_count_v = false;
template <class I>
  requires requires { typename promoted_t<I>; }
inline constexpr bool is_count_v<I> = is_integer_v<promoted_t<I>>;

#if TMA_HAS_HOST_TEXT
// Host code, in every build, and kernels on the simulator: says what is wrong with a number that a type does not tell, and ends.
extern "C" int dprintf(int, const char*, ...);  // of the C library, without its header
inline void    refuse_count(const char* rule, i64 value) {
#  if defined(TMA_MACHINE)
  if (TMA_DETAIL_IN_KERNEL) machine::rt::fail(rule, value);
#  endif
  dprintf(2, "tma: %s (found %lld)\n", rule, value);
  __builtin_abort();
}
#endif

// A parameter that is an int and takes any integer of 32 bits, by value: device code has no address of a host's constant. One of
// 64 is refused: it would be cut.
struct Int32 {
  int value;

  template <class I>
    requires(is_count_v<I>)
  TMA_HOST_DEVICE constexpr Int32(I i) : value(static_cast<int>(+i)) {
    static_assert(
        sizeof(promoted_t<I>) <= sizeof(int),
        "tma: this count or index must be a 32-bit number; a 64-bit one (size_t, long) would be cut. Compute it in "
        "int, or convert it with int(...) where it is known to fit");
#if TMA_HAS_HOST_TEXT
    if constexpr (!is_signed_integer_v<promoted_t<I>>)
      if (value < 0)
        refuse_count(
            "a count or an index without sign must be at most 2^31 - 1. Fix: look for a subtraction that went below "
            "zero; the number",
            i64(+i));
#endif
  }
  TMA_HOST_DEVICE constexpr operator int() const { return value; }
};

// What counts the steps up to a count of type I: int for 32 bits, long long for 64.
template <class I> using step_t = conditional_t<(sizeof(promoted_t<I>) > sizeof(int)), i64, int>;

// Whether `f(a..., {step})`, or `f(a..., {step}, last)`, is a call: braces let nothing be cut. (A parameter that is `auto` takes
// no braces, and takes the step as it is.)
template <class Step, class F, class... A>
TMA_HOST_DEVICE constexpr auto takes_braced(int) -> decltype(declared<F&>()(declared<A>()..., {declared<Step>()}), bool()) {
  return true;
}
template <class Step, class F, class... A> TMA_HOST_DEVICE constexpr bool takes_braced(...) { return false; }

template <class Step, class Last, class F, class... A>
TMA_HOST_DEVICE constexpr auto takes_braced_before(int)
    -> decltype(declared<F&>()(declared<A>()..., {declared<Step>()}, declared<Last>()), bool()) {
  return true;
}
template <class Step, class Last, class F, class... A> TMA_HOST_DEVICE constexpr bool takes_braced_before(...) {
  return false;
}

// Whether such a call would cut a step of 64 bits: f takes a narrower integer there.
template <class Step, class Last, class F, class... A> TMA_HOST_DEVICE constexpr bool cuts_step() {
  if constexpr (sizeof(Step) <= sizeof(int)) return false;
  else
    return (takes_braced<unsigned char, F, A...>(0) && !takes_braced<i64, F, A...>(0) && !takes_braced<u64, F, A...>(0)) ||
           (takes_braced_before<unsigned char, Last, F, A...>(0) && !takes_braced_before<i64, Last, F, A...>(0) &&
            !takes_braced_before<u64, Last, F, A...>(0));
}

}  // namespace tma::inline TMA_ABI::detail

#include "epilogue.hpp"
