// The few type traits the core needs. The standard headers do not exist under NVRTC, and
// <cuda/std/type_traits> alone costs more to compile than a whole kernel.
#pragma once

#include "prologue.hpp"

#include "config.hpp"

namespace tma::inline TMA_ABI::detail {

using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i64 = long long;

template <class A, class B> inline constexpr bool is_same_v       = false;
template <class A> inline constexpr bool          is_same_v<A, A> = true;

template <class T> inline constexpr bool                       is_array_v       = false;
template <class T, decltype(sizeof 0) N> inline constexpr bool is_array_v<T[N]> = true;

template <class T> struct RemoveCv {
  using type = T;
};
template <class T> struct RemoveCv<const T> {
  using type = T;
};
template <class T> struct RemoveCv<volatile T> {
  using type = T;
};
template <class T> struct RemoveCv<const volatile T> {
  using type = T;
};
template <class T> using remove_cv_t = typename RemoveCv<T>::type;

template <class T> struct RemoveReference {
  using type = T;
};
template <class T> struct RemoveReference<T&> {
  using type = T;
};
template <class T> struct RemoveReference<T&&> {
  using type = T;
};
template <class T> using remove_cvref_t = remove_cv_t<typename RemoveReference<T>::type>;

template <class T> inline constexpr bool is_reference_v      = false;
template <class T> inline constexpr bool is_reference_v<T&>  = true;
template <class T> inline constexpr bool is_reference_v<T&&> = true;
// Of the T of a parameter `T&&`: whether what it refers to is a variable, and not a temporary.
template <class T> inline constexpr bool is_lvalue_v     = false;
template <class T> inline constexpr bool is_lvalue_v<T&> = true;

template <class T> inline constexpr bool is_const_v          = false;
template <class T> inline constexpr bool is_const_v<const T> = true;

// A parameter that takes no part in template argument deduction.
template <class T> struct TypeIdentity {
  using type = T;
};
template <class T> using type_identity_t = typename TypeIdentity<T>::type;

template <bool First, class A, class B> struct Conditional {
  using type = A;
};
template <class A, class B> struct Conditional<false, A, B> {
  using type = B;
};
template <bool First, class A, class B> using conditional_t = typename Conditional<First, A, B>::type;

// False for a class that is declared and not defined.
template <class T> inline constexpr bool is_complete_v = requires { sizeof(T); };

// False, but only once the template is instantiated: for static_assert with a text.
template <class...> inline constexpr bool always_false = false;

// True for the integer types, bool and the enumerations left out.
template <class T> inline constexpr bool is_integer_v                     = false;
template <> inline constexpr bool        is_integer_v<char>               = true;
template <> inline constexpr bool        is_integer_v<signed char>        = true;
template <> inline constexpr bool        is_integer_v<unsigned char>      = true;
template <> inline constexpr bool        is_integer_v<short>              = true;
template <> inline constexpr bool        is_integer_v<unsigned short>     = true;
template <> inline constexpr bool        is_integer_v<int>                = true;
template <> inline constexpr bool        is_integer_v<unsigned int>       = true;
template <> inline constexpr bool        is_integer_v<long>               = true;
template <> inline constexpr bool        is_integer_v<unsigned long>      = true;
template <> inline constexpr bool        is_integer_v<long long>          = true;
template <> inline constexpr bool        is_integer_v<unsigned long long> = true;

template <class T> inline constexpr bool is_signed_integer_v = is_integer_v<T> && T(-1) < T(0);

// The position of T in Ts, sizeof...(Ts) when absent, and how often it occurs.
template <class T, class... Ts> constexpr int count_of = (int(is_same_v<T, Ts>) + ... + 0);

template <class T, class... Ts> TMA_HOST_DEVICE constexpr int index_of() {
  constexpr bool same[] = {is_same_v<T, Ts>..., true};
  int            i      = 0;
  while (!same[i]) ++i;
  return i;
}

template <int I, class... Ts> struct TypeAt;
template <int I, class Head, class... Tail> struct TypeAt<I, Head, Tail...> {
  using type = typename TypeAt<I - 1, Tail...>::type;
};
template <class Head, class... Tail> struct TypeAt<0, Head, Tail...> {
  using type = Head;
};
template <int I, class... Ts> using type_at = typename TypeAt<I, Ts...>::type;

// Whether an F can be called with these arguments. (A requires-expression says no for generic lambdas under nvcc 13.0.)
template <class T> TMA_HOST_DEVICE T&& declared() noexcept;
template <class F, class... A>
TMA_HOST_DEVICE constexpr auto is_callable(int) -> decltype(declared<F&>()(declared<A>()...), bool()) {
  return true;
}
template <class F, class... A> TMA_HOST_DEVICE constexpr bool is_callable(...) { return false; }

template <int... I> struct Indices {};
template <int N, int... I> struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <int... I> struct MakeIndices<0, I...> {
  using type = Indices<I...>;
};
template <int N> using make_indices = typename MakeIndices<N>::type;

TMA_HOST_DEVICE constexpr u32 round_up(u32 value, u32 multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace tma::inline TMA_ABI::detail

#include "epilogue.hpp"
