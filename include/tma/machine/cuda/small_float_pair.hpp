// Two 16-bit floats side by side: what __half2 and __nv_bfloat162 have in common. And the conversions between 16-bit floats
// and integers.
#pragma once

#include "atomics.hpp"
#include "small_float.hpp"
#include "warp.hpp"

namespace tma::machine::detail {

// P is the pair, with fields x and y of type T.
template <class P, class T> struct Pair {
  friend constexpr P    operator+(P a, P b) { return {a.x + b.x, a.y + b.y}; }
  friend constexpr P    operator-(P a, P b) { return {a.x - b.x, a.y - b.y}; }
  friend constexpr P    operator*(P a, P b) { return {a.x * b.x, a.y * b.y}; }
  friend constexpr P    operator/(P a, P b) { return {a.x / b.x, a.y / b.y}; }
  friend constexpr P    operator+(P a) { return a; }
  friend constexpr P    operator-(P a) { return {-a.x, -a.y}; }
  friend constexpr P&   operator+=(P& a, P b) { return a = a + b; }
  friend constexpr P&   operator-=(P& a, P b) { return a = a - b; }
  friend constexpr P&   operator*=(P& a, P b) { return a = a * b; }
  friend constexpr P&   operator/=(P& a, P b) { return a = a / b; }
  friend constexpr bool operator==(P a, P b) { return a.x == b.x && a.y == b.y; }
  friend constexpr bool operator!=(P a, P b) { return a.x != b.x && a.y != b.y; }  // both, as CUDA has it
  friend constexpr bool operator<(P a, P b) { return a.x < b.x && a.y < b.y; }
  friend constexpr bool operator<=(P a, P b) { return a.x <= b.x && a.y <= b.y; }
  friend constexpr bool operator>(P a, P b) { return a.x > b.x && a.y > b.y; }
  friend constexpr bool operator>=(P a, P b) { return a.x >= b.x && a.y >= b.y; }

  friend constexpr P __hadd2(P a, P b) { return a + b; }
  friend constexpr P __hadd2_rn(P a, P b) { return a + b; }
  friend constexpr P __hsub2(P a, P b) { return a - b; }
  friend constexpr P __hsub2_rn(P a, P b) { return a - b; }
  friend constexpr P __hmul2(P a, P b) { return a * b; }
  friend constexpr P __hmul2_rn(P a, P b) { return a * b; }
  friend constexpr P __h2div(P a, P b) { return a / b; }
  friend constexpr P __hneg2(P a) { return -a; }
  friend constexpr P __habs2(P a) { return {__habs(a.x), __habs(a.y)}; }
  friend P           __hfma2(P a, P b, P c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }
  friend P           __hfma2_sat(P a, P b, P c) { return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)}; }
  friend P           __hfma2_relu(P a, P b, P c) { return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)}; }
  friend constexpr P __hadd2_sat(P a, P b) { return {__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)}; }
  friend constexpr P __hsub2_sat(P a, P b) { return {__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y)}; }
  friend constexpr P __hmul2_sat(P a, P b) { return {__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)}; }
  friend constexpr P __hmin2(P a, P b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
  friend constexpr P __hmax2(P a, P b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
  friend constexpr P __hmin2_nan(P a, P b) { return {__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)}; }
  friend constexpr P __hmax2_nan(P a, P b) { return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)}; }

  friend constexpr P    __heq2(P a, P b) { return {T(int(a.x == b.x)), T(int(a.y == b.y))}; }
  friend constexpr P    __hne2(P a, P b) { return {T(int(__hne(a.x, b.x))), T(int(__hne(a.y, b.y)))}; }
  friend constexpr P    __hlt2(P a, P b) { return {T(int(a.x < b.x)), T(int(a.y < b.y))}; }
  friend constexpr P    __hle2(P a, P b) { return {T(int(a.x <= b.x)), T(int(a.y <= b.y))}; }
  friend constexpr P    __hgt2(P a, P b) { return {T(int(a.x > b.x)), T(int(a.y > b.y))}; }
  friend constexpr P    __hge2(P a, P b) { return {T(int(a.x >= b.x)), T(int(a.y >= b.y))}; }
  friend constexpr P    __hisnan2(P a) { return {T(int(__hisnan(a.x))), T(int(__hisnan(a.y)))}; }
  friend constexpr bool __hbeq2(P a, P b) { return a.x == b.x && a.y == b.y; }
  friend constexpr bool __hbne2(P a, P b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
  friend constexpr bool __hblt2(P a, P b) { return a.x < b.x && a.y < b.y; }
  friend constexpr bool __hble2(P a, P b) { return a.x <= b.x && a.y <= b.y; }
  friend constexpr bool __hbgt2(P a, P b) { return a.x > b.x && a.y > b.y; }
  friend constexpr bool __hbge2(P a, P b) { return a.x >= b.x && a.y >= b.y; }

  friend constexpr float __low2float(P a) { return a.x; }
  friend constexpr float __high2float(P a) { return a.y; }
  friend constexpr P     __lowhigh2highlow(P a) { return {a.y, a.x}; }

  friend P h2sqrt(P a) { return {hsqrt(a.x), hsqrt(a.y)}; }
  friend P h2rsqrt(P a) { return {hrsqrt(a.x), hrsqrt(a.y)}; }
  friend P h2rcp(P a) { return {hrcp(a.x), hrcp(a.y)}; }
  friend P h2exp(P a) { return {hexp(a.x), hexp(a.y)}; }
  friend P h2exp2(P a) { return {hexp2(a.x), hexp2(a.y)}; }
  friend P h2log(P a) { return {hlog(a.x), hlog(a.y)}; }
  friend P h2log2(P a) { return {hlog2(a.x), hlog2(a.y)}; }
  friend P h2sin(P a) { return {hsin(a.x), hsin(a.y)}; }
  friend P h2cos(P a) { return {hcos(a.x), hcos(a.y)}; }
  friend P h2floor(P a) { return {hfloor(a.x), hfloor(a.y)}; }
  friend P h2ceil(P a) { return {hceil(a.x), hceil(a.y)}; }
  friend P h2trunc(P a) { return {htrunc(a.x), htrunc(a.y)}; }
  friend P h2rint(P a) { return {hrint(a.x), hrint(a.y)}; }
};

}  // namespace tma::machine::detail

// Conversions between integers and T, which is called `name` in their names.
#define TMA_DETAIL_SMALL_FLOAT_INTEGER(T, name, I, i)                                                             \
  inline I __##name##2##i##_rn(T x) { return ::tma::machine::detail::to_small_integer<I>(nearbyint(double(x))); } \
  inline I __##name##2##i##_rz(T x) { return ::tma::machine::detail::to_small_integer<I>(double(x)); }            \
  inline I __##name##2##i##_rd(T x) { return ::tma::machine::detail::to_small_integer<I>(floor(double(x))); }     \
  inline I __##name##2##i##_ru(T x) { return ::tma::machine::detail::to_small_integer<I>(ceil(double(x))); }      \
  inline T __##i##2##name##_rn(I x) { return T(x); }                                                              \
  inline T __##i##2##name##_rz(I x) {                                                                             \
    return T::rounded_from(::tma::machine::detail::to_odd_double(x), ::tma::machine::detail::Rounding::zero);     \
  }                                                                                                               \
  inline T __##i##2##name##_rd(I x) {                                                                             \
    return T::rounded_from(::tma::machine::detail::to_odd_double(x), ::tma::machine::detail::Rounding::down);     \
  }                                                                                                               \
  inline T __##i##2##name##_ru(I x) {                                                                             \
    return T::rounded_from(::tma::machine::detail::to_odd_double(x), ::tma::machine::detail::Rounding::up);       \
  }
#define TMA_DETAIL_SMALL_FLOAT_INTEGERS(T, name)                  \
  TMA_DETAIL_SMALL_FLOAT_INTEGER(T, name, short, short)           \
  TMA_DETAIL_SMALL_FLOAT_INTEGER(T, name, unsigned short, ushort) \
  TMA_DETAIL_SMALL_FLOAT_INTEGER(T, name, int, int)               \
  TMA_DETAIL_SMALL_FLOAT_INTEGER(T, name, unsigned, uint)         \
  TMA_DETAIL_SMALL_FLOAT_INTEGER(T, name, long long, ll)          \
  TMA_DETAIL_SMALL_FLOAT_INTEGER(T, name, unsigned long long, ull)
