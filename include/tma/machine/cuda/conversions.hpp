// Conversions between integers and floating-point numbers, with CUDA's roundings: to nearest even (rn), towards zero (rz),
// down (rd), up (ru). What does not fit an integer saturates.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

namespace tma::machine::detail {

enum class Rounding { nearest, zero, down, up };

template <Rounding R, class F> F rounded(F x) {
  if constexpr (R == Rounding::nearest) return std::nearbyint(x);
  else if constexpr (R == Rounding::zero) return std::trunc(x);
  else if constexpr (R == Rounding::down) return std::floor(x);
  else return std::ceil(x);
}

template <class I, Rounding R, class F> I to_integer(F x) {
  using Limits = std::numeric_limits<I>;
  if (std::isnan(x)) {
    // As the instruction has it: 0 from float to 32 bits, otherwise the top bit alone.
    if constexpr (sizeof(F) == 4 && sizeof(I) == 4) return 0;
    else return I(std::make_unsigned_t<I>(1) << (sizeof(I) * 8 - 1));
  }
  const F whole = rounded<R>(x);
  // 2^31 or its like, which a float or double holds while the largest integer may not fit.
  const F end = 2 * F(std::make_unsigned_t<I>(1) << (Limits::digits - 1));
  if (whole >= end) return Limits::max();
  if (whole <= F(Limits::min())) return Limits::min();
  return I(whole);
}

// `exact` holds any 64-bit integer, or a double.
template <class F, Rounding R, class Exact> F to_float(Exact exact) {
  const F nearest = F(exact);
  if constexpr (R == Rounding::nearest) return nearest;
  const bool negative = exact < 0;
  const bool down     = R == Rounding::down || (R == Rounding::zero && !negative);
  const bool up       = R == Rounding::up || (R == Rounding::zero && negative);
  if (down && Exact(nearest) > exact) return std::nextafter(nearest, -std::numeric_limits<F>::infinity());
  if (up && Exact(nearest) < exact) return std::nextafter(nearest, std::numeric_limits<F>::infinity());
  return nearest;
}

}  // namespace tma::machine::detail

#define TMA_DETAIL_CONVERT_ONE(name, From, To, mode, function, ...)                                      \
  inline To name(From x) {                                                                               \
    return ::tma::machine::detail::function<To, ::tma::machine::detail::Rounding::mode>(__VA_ARGS__(x)); \
  }
#define TMA_DETAIL_CONVERT(name, From, To, ...)                     \
  TMA_DETAIL_CONVERT_ONE(name##_rn, From, To, nearest, __VA_ARGS__) \
  TMA_DETAIL_CONVERT_ONE(name##_rz, From, To, zero, __VA_ARGS__)    \
  TMA_DETAIL_CONVERT_ONE(name##_rd, From, To, down, __VA_ARGS__)    \
  TMA_DETAIL_CONVERT_ONE(name##_ru, From, To, up, __VA_ARGS__)

TMA_DETAIL_CONVERT(__float2int, float, int, to_integer)
TMA_DETAIL_CONVERT(__float2uint, float, unsigned, to_integer)
TMA_DETAIL_CONVERT(__float2ll, float, long long, to_integer)
TMA_DETAIL_CONVERT(__float2ull, float, unsigned long long, to_integer)
TMA_DETAIL_CONVERT(__double2int, double, int, to_integer)
TMA_DETAIL_CONVERT(__double2uint, double, unsigned, to_integer)
TMA_DETAIL_CONVERT(__double2ll, double, long long, to_integer)
TMA_DETAIL_CONVERT(__double2ull, double, unsigned long long, to_integer)
TMA_DETAIL_CONVERT(__int2float, int, float, to_float, double)
TMA_DETAIL_CONVERT(__uint2float, unsigned, float, to_float, double)
// long double has 64 bits of significand at least.
TMA_DETAIL_CONVERT(__ll2float, long long, float, to_float, static_cast<long double>)
TMA_DETAIL_CONVERT(__ull2float, unsigned long long, float, to_float, static_cast<long double>)
TMA_DETAIL_CONVERT(__ll2double, long long, double, to_float, static_cast<long double>)
TMA_DETAIL_CONVERT(__ull2double, unsigned long long, double, to_float, static_cast<long double>)
TMA_DETAIL_CONVERT(__double2float, double, float, to_float)
#undef TMA_DETAIL_CONVERT
#undef TMA_DETAIL_CONVERT_ONE

inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
