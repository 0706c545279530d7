// Stand-in for CUDA's header of this name: half and half2. The arithmetic is in ../cuda/small_float.hpp.
#pragma once

#include "../cuda/small_float_pair.hpp"
#include "vector_types.h"

struct __half_raw {
  unsigned short x;
};
struct __half2_raw {
  unsigned short x, y;
};

struct __half : ::tma::machine::detail::Float16<__half, ::tma::machine::detail::half_format> {
  using Float16::Float16;
  __half() = default;
  constexpr __half(__half_raw raw) { __x = raw.x; }
  constexpr operator __half_raw() const { return {__x}; }
};

struct alignas(4) __half2 : ::tma::machine::detail::Pair<__half2, __half> {
  __half x, y;

  __half2() = default;
  constexpr __half2(__half low, __half high) : x(low), y(high) {}
  constexpr __half2(__half2_raw raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
  constexpr operator __half2_raw() const { return {x.__x, y.__x}; }
};

typedef __half  half;
typedef __half2 half2;
typedef __half  nv_half;
typedef __half2 nv_half2;

// --- conversions ---------------------------------------------------------------------------------------------------

inline constexpr __half __float2half(float x) { return x; }
inline constexpr __half __float2half_rn(float x) { return x; }
inline constexpr __half __float2half_rz(float x) {
  return __half::rounded_from(double(x), ::tma::machine::detail::Rounding::zero);
}
inline constexpr __half __float2half_rd(float x) {
  return __half::rounded_from(double(x), ::tma::machine::detail::Rounding::down);
}
inline constexpr __half __float2half_ru(float x) {
  return __half::rounded_from(double(x), ::tma::machine::detail::Rounding::up);
}
inline constexpr __half __double2half(double x) { return x; }
inline constexpr float  __half2float(__half x) { return x; }
TMA_DETAIL_SMALL_FLOAT_INTEGERS(__half, half)

inline constexpr __half         __ushort_as_half(unsigned short x) { return __half_raw{x}; }
inline constexpr __half         __short_as_half(short x) { return __half_raw{static_cast<unsigned short>(x)}; }
inline constexpr unsigned short __half_as_ushort(__half x) { return x.__x; }
inline constexpr short          __half_as_short(__half x) { return static_cast<short>(x.__x); }

// --- pairs ---------------------------------------------------------------------------------------------------------

inline constexpr __half2 make_half2(__half x, __half y) { return {x, y}; }
inline constexpr __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline constexpr __half2 __half2half2(__half x) { return {x, x}; }
inline constexpr __half2 __float2half2_rn(float x) { return {x, x}; }
inline constexpr __half2 __floats2half2_rn(float x, float y) { return {x, y}; }
inline constexpr __half2 __float22half2_rn(float2 v) { return {v.x, v.y}; }
inline constexpr float2  __half22float2(__half2 v) { return {v.x, v.y}; }
inline constexpr __half  __low2half(__half2 v) { return v.x; }
inline constexpr __half  __high2half(__half2 v) { return v.y; }
inline constexpr __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
inline constexpr __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
inline constexpr __half2 __lows2half2(__half2 a, __half2 b) { return {a.x, b.x}; }
inline constexpr __half2 __highs2half2(__half2 a, __half2 b) { return {a.y, b.y}; }

// --- warps and memory ----------------------------------------------------------------------------------------------

TMA_DETAIL_SHUFFLES(__half)
TMA_DETAIL_SHUFFLES(__half2)

template <> inline constexpr bool ::tma::machine::detail::adds<__half>  = true;
template <> inline constexpr bool ::tma::machine::detail::adds<__half2> = true;
