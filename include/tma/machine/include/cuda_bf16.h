// Stand-in for CUDA's header of this name: bfloat16 and its pair. The arithmetic is in ../cuda/small_float.hpp.
#pragma once

#include "../cuda/small_float_pair.hpp"
#include "vector_types.h"

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat162_raw {
  unsigned short x, y;
};

struct __nv_bfloat16 : ::tma::machine::detail::Float16<__nv_bfloat16, ::tma::machine::detail::bf16_format> {
  using Float16::Float16;
  __nv_bfloat16() = default;
  constexpr __nv_bfloat16(__nv_bfloat16_raw raw) { __x = raw.x; }
  constexpr operator __nv_bfloat16_raw() const { return {__x}; }
};

struct alignas(4) __nv_bfloat162 : ::tma::machine::detail::Pair<__nv_bfloat162, __nv_bfloat16> {
  __nv_bfloat16 x, y;

  __nv_bfloat162() = default;
  constexpr __nv_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) : x(low), y(high) {}
  constexpr __nv_bfloat162(__nv_bfloat162_raw raw) : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
  constexpr operator __nv_bfloat162_raw() const { return {x.__x, y.__x}; }
};

typedef __nv_bfloat16  nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// --- conversions ---------------------------------------------------------------------------------------------------

inline constexpr __nv_bfloat16 __float2bfloat16(float x) { return x; }
inline constexpr __nv_bfloat16 __float2bfloat16_rn(float x) { return x; }
inline constexpr __nv_bfloat16 __float2bfloat16_rz(float x) {
  return __nv_bfloat16::rounded_from(double(x), ::tma::machine::detail::Rounding::zero);
}
inline constexpr __nv_bfloat16 __float2bfloat16_rd(float x) {
  return __nv_bfloat16::rounded_from(double(x), ::tma::machine::detail::Rounding::down);
}
inline constexpr __nv_bfloat16 __float2bfloat16_ru(float x) {
  return __nv_bfloat16::rounded_from(double(x), ::tma::machine::detail::Rounding::up);
}
inline constexpr __nv_bfloat16 __double2bfloat16(double x) { return x; }
inline constexpr float         __bfloat162float(__nv_bfloat16 x) { return x; }
TMA_DETAIL_SMALL_FLOAT_INTEGERS(__nv_bfloat16, bfloat16)

inline constexpr __nv_bfloat16  __ushort_as_bfloat16(unsigned short x) { return __nv_bfloat16_raw{x}; }
inline constexpr __nv_bfloat16  __short_as_bfloat16(short x) { return __nv_bfloat16_raw{static_cast<unsigned short>(x)}; }
inline constexpr unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.__x; }
inline constexpr short          __bfloat16_as_short(__nv_bfloat16 x) { return static_cast<short>(x.__x); }

// --- pairs ---------------------------------------------------------------------------------------------------------

inline constexpr __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline constexpr __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline constexpr __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
inline constexpr __nv_bfloat162 __float2bfloat162_rn(float x) { return {x, x}; }
inline constexpr __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
inline constexpr __nv_bfloat162 __float22bfloat162_rn(float2 v) { return {v.x, v.y}; }
inline constexpr float2         __bfloat1622float2(__nv_bfloat162 v) { return {v.x, v.y}; }
inline constexpr __nv_bfloat16  __low2bfloat16(__nv_bfloat162 v) { return v.x; }
inline constexpr __nv_bfloat16  __high2bfloat16(__nv_bfloat162 v) { return v.y; }
inline constexpr __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return {v.x, v.x}; }
inline constexpr __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return {v.y, v.y}; }
inline constexpr __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.x, b.x}; }
inline constexpr __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return {a.y, b.y}; }

// --- warps and memory ----------------------------------------------------------------------------------------------

TMA_DETAIL_SHUFFLES(__nv_bfloat16)
TMA_DETAIL_SHUFFLES(__nv_bfloat162)

template <> inline constexpr bool ::tma::machine::detail::adds<__nv_bfloat16>  = true;
template <> inline constexpr bool ::tma::machine::detail::adds<__nv_bfloat162> = true;
