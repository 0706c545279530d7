// Atomic operations. Threads of the machine are switched only inside its calls: after rt::atomic() the plain read and write
// of the operation are undisturbed.
#pragma once

#include <type_traits>

#include "../runtime.hpp"
#include "keywords.hpp"

namespace tma::machine::detail {

template <class T, class... U> inline constexpr bool is_one_of = (std::is_same_v<T, U> || ...);

// Which operations a type has. The half types add theirs.
template <class T> inline constexpr bool adds      = is_one_of<T, int, unsigned, unsigned long long, float, double>;
template <class T> inline constexpr bool subtracts = is_one_of<T, int, unsigned>;
template <class T> inline constexpr bool exchanges = is_one_of<T, int, unsigned, unsigned long long, float>;
template <class T> inline constexpr bool orders    = is_one_of<T, int, unsigned, long long, unsigned long long>;
template <class T> inline constexpr bool counts    = is_one_of<T, unsigned>;
template <class T> inline constexpr bool has_bits  = is_one_of<T, int, unsigned, unsigned long long>;
template <class T> inline constexpr bool compares  = is_one_of<T, int, unsigned, unsigned long long, unsigned short>;

// Integers wrap around.
template <class T> constexpr auto wrapping(T value) {
  if constexpr (std::is_same_v<T, int>) return unsigned(value);
  else return value;
}

struct AtomicAdd {
  template <class T> static T apply(T old, T value) { return T(wrapping(old) + wrapping(value)); }
};
struct AtomicSub {
  template <class T> static T apply(T old, T value) { return T(wrapping(old) - wrapping(value)); }
};
struct AtomicExch {
  template <class T> static T apply(T, T value) { return value; }
};
struct AtomicMin {
  template <class T> static T apply(T old, T value) { return value < old ? value : old; }
};
struct AtomicMax {
  template <class T> static T apply(T old, T value) { return old < value ? value : old; }
};
struct AtomicInc {  // up to `value`, then 0
  template <class T> static T apply(T old, T value) { return old >= value ? 0 : old + 1; }
};
struct AtomicDec {  // down to 0, then `value`
  template <class T> static T apply(T old, T value) { return old == 0 || old > value ? value : old - 1; }
};
struct AtomicAnd {
  template <class T> static T apply(T old, T value) { return old & value; }
};
struct AtomicOr {
  template <class T> static T apply(T old, T value) { return old | value; }
};
struct AtomicXor {
  template <class T> static T apply(T old, T value) { return old ^ value; }
};

template <class Operation, class T> TMA_DETAIL_RAW T modify(T* place, T value) {
  const T old = *place;
  *place      = Operation::apply(old, value);
  return old;
}

template <class Operation, class T> __forceinline__ T atomically(T* place, T value) {
  rt::atomic(place, sizeof(T));
  return modify<Operation>(place, value);
}

template <class T> TMA_DETAIL_RAW T compare_and_swap(T* place, T expected, T value) {
  const T old = *place;
  if (old == expected) *place = value;
  return old;
}

}  // namespace tma::machine::detail

// Of all three scopes: the machine makes no difference between them.
#define TMA_DETAIL_ATOMIC_SCOPE(name, Operation, allowed)                                       \
  template <class T>                                                                            \
    requires(::tma::machine::detail::allowed<T>)                                                \
  __forceinline__ T name(T* place, std::type_identity_t<T> value) {                             \
    return ::tma::machine::detail::atomically<::tma::machine::detail::Operation>(place, value); \
  }
#define TMA_DETAIL_ATOMIC(name, Operation, allowed)         \
  TMA_DETAIL_ATOMIC_SCOPE(name, Operation, allowed)         \
  TMA_DETAIL_ATOMIC_SCOPE(name##_block, Operation, allowed) \
  TMA_DETAIL_ATOMIC_SCOPE(name##_system, Operation, allowed)

TMA_DETAIL_ATOMIC(atomicAdd, AtomicAdd, adds)
TMA_DETAIL_ATOMIC(atomicSub, AtomicSub, subtracts)
TMA_DETAIL_ATOMIC(atomicExch, AtomicExch, exchanges)
TMA_DETAIL_ATOMIC(atomicMin, AtomicMin, orders)
TMA_DETAIL_ATOMIC(atomicMax, AtomicMax, orders)
TMA_DETAIL_ATOMIC(atomicInc, AtomicInc, counts)
TMA_DETAIL_ATOMIC(atomicDec, AtomicDec, counts)
TMA_DETAIL_ATOMIC(atomicAnd, AtomicAnd, has_bits)
TMA_DETAIL_ATOMIC(atomicOr, AtomicOr, has_bits)
TMA_DETAIL_ATOMIC(atomicXor, AtomicXor, has_bits)
#undef TMA_DETAIL_ATOMIC
#undef TMA_DETAIL_ATOMIC_SCOPE

#define TMA_DETAIL_ATOMIC_CAS(name)                                                                   \
  template <class T>                                                                                  \
    requires(::tma::machine::detail::compares<T>)                                                     \
  __forceinline__ T name(T* place, std::type_identity_t<T> expected, std::type_identity_t<T> value) { \
    ::tma::machine::rt::atomic(place, sizeof(T));                                                     \
    return ::tma::machine::detail::compare_and_swap(place, expected, value);                          \
  }

TMA_DETAIL_ATOMIC_CAS(atomicCAS)
TMA_DETAIL_ATOMIC_CAS(atomicCAS_block)
TMA_DETAIL_ATOMIC_CAS(atomicCAS_system)
#undef TMA_DETAIL_ATOMIC_CAS
