// Floating-point formats of 8 and 16 bits: from and to double, and the arithmetic that cuda_fp16.h and cuda_bf16.h share.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "conversions.hpp"

namespace tma::machine::detail {

struct FloatFormat {
  int      exponent_bits, mantissa_bits;
  unsigned largest;   // the largest finite number, without its sign
  unsigned nan;       // the NaN that arithmetic gives
  bool     infinity;  // whether the format has one, just above `largest`
};

inline constexpr FloatFormat half_format = {5, 10, 0x7bff, 0x7fff, true};
inline constexpr FloatFormat bf16_format = {8, 7, 0x7f7f, 0x7fff, true};
inline constexpr FloatFormat e4m3_format = {4, 3, 0x7e, 0x7f, false};
inline constexpr FloatFormat e5m2_format = {5, 2, 0x7b, 0x7f, true};

// `saturate`: what is too large, infinity too, becomes the largest finite number.
template <FloatFormat F>
constexpr unsigned encode(double value, Rounding rounding = Rounding::nearest, bool saturate = false) {
  constexpr int      lowest = 2 - (1 << (F.exponent_bits - 1));  // the exponent of subnormals
  constexpr unsigned sign   = 1u << (F.exponent_bits + F.mantissa_bits);
  constexpr unsigned above  = F.infinity ? F.largest + 1 : F.nan;

  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value), magnitude = bits << 1 >> 1;
  const bool          negative = bits >> 63;
  if (magnitude > std::uint64_t(0x7ff) << 52) return F.nan;
  if (magnitude == std::uint64_t(0x7ff) << 52) return (negative ? sign : 0) | (saturate ? F.largest : above);

  // The value is significand * 2^(exponent - 52); subnormal doubles are far below every format.
  const int           exponent = int(magnitude >> 52) - 1023;
  const std::uint64_t significand =
      magnitude == 0 ? 0 : (magnitude & ~(std::uint64_t(0x7ff) << 52)) | std::uint64_t(1) << 52;
  const int           cut  = 52 - F.mantissa_bits + (exponent < lowest ? lowest - exponent : 0);
  std::uint64_t       kept = cut > 54 ? 0 : significand >> cut, rest = cut > 54 ? significand : significand - (kept << cut);
  const std::uint64_t tie = cut > 54 ? ~std::uint64_t(0) : std::uint64_t(1) << (cut - 1);
  switch (rounding) {
    case Rounding::nearest: kept += rest > tie || (rest == tie && kept & 1); break;
    case Rounding::zero: break;
    case Rounding::down: kept += rest > 0 && negative; break;
    case Rounding::up: kept += rest > 0 && !negative; break;
  }
  // A carry out of the mantissa runs into the exponent, as it should.
  const std::uint64_t scale  = exponent < lowest ? 0 : std::uint64_t(exponent - lowest);
  const std::uint64_t result = (scale << F.mantissa_bits) + kept;
  if (result <= F.largest) return (negative ? sign : 0) | unsigned(result);
  const bool towards_zero = rounding == Rounding::zero || rounding == (negative ? Rounding::up : Rounding::down);
  return (negative ? sign : 0) | (saturate || towards_zero ? F.largest : above);
}

template <FloatFormat F> constexpr double decode(unsigned bits) {
  constexpr int lowest   = 2 - (1 << (F.exponent_bits - 1));
  const double  sign     = bits >> (F.exponent_bits + F.mantissa_bits) & 1 ? -1 : 1;
  const auto    fraction = bits & ((1u << F.mantissa_bits) - 1);
  const int     exponent = int(bits >> F.mantissa_bits & ((1u << F.exponent_bits) - 1));
  const auto    rest     = bits & ((1u << (F.exponent_bits + F.mantissa_bits)) - 1);
  if (rest > F.largest)
    return F.infinity && rest == F.largest + 1 ? sign * std::numeric_limits<double>::infinity()
                                               : std::numeric_limits<double>::quiet_NaN();
  const auto power = [](int e) { return std::bit_cast<double>(std::uint64_t(1023 + e) << 52); };
  if (exponent == 0) return sign * fraction * power(lowest - F.mantissa_bits);
  return sign * (fraction + (1u << F.mantissa_bits)) * power(exponent - 1 + lowest - F.mantissa_bits);
}

// NaN is 0, or the top bit alone for 64 bits.
template <class I> constexpr I to_small_integer(double x) {
  using Limits = std::numeric_limits<I>;
  if (x != x) return sizeof(I) == 8 ? I(std::make_unsigned_t<I>(1) << (sizeof(I) * 8 - 1)) : I(0);
  if (x >= 2.0 * double(std::make_unsigned_t<I>(1) << (Limits::digits - 1))) return Limits::max();
  if (x <= double(Limits::min())) return Limits::min();
  return I(x);
}

// A 64-bit integer as a double that rounds to a small format as the integer itself would: what does not fit 53 bits leaves
// its mark in the last of them.
template <class I> constexpr double to_odd_double(I value) {
  if constexpr (sizeof(I) < 8) return double(value);
  else {
    const bool          negative  = value < 0;
    const std::uint64_t magnitude = negative ? 0 - std::uint64_t(value) : std::uint64_t(value);
    const double whole = magnitude >> 53 ? double(magnitude >> 11 | ((magnitude & 0x7ff) != 0)) * 2048 : double(magnitude);
    return negative ? -whole : whole;
  }
}

// a * b + c with the same care. The product of two small floats is exact.
inline double fused_to_odd(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  const double back  = sum - product;
  const double error = (product - (sum - back)) + (c - back);
  if (!(error != 0) || !std::isfinite(sum)) return sum;
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if (bits & 1) return sum;
  return std::bit_cast<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

// What __half and __nv_bfloat16 have in common. Sums, differences, products and quotients of double are rounded once more to
// a format so much smaller that the result is that of one rounding.
template <class T, FloatFormat F> struct Float16 {
  unsigned short __x;

  Float16() = default;
  template <class A>
    requires(std::is_arithmetic_v<A>)
  constexpr Float16(A value) : __x(static_cast<unsigned short>(encode<F>(exact(value)))) {}

  constexpr operator float() const { return float(decode<F>(__x)); }
  // Towards zero, and saturating.
  template <class I>
    requires(std::is_integral_v<I>)
  constexpr operator I() const {
    if constexpr (std::is_same_v<I, bool>) return (__x & 0x7fffu) != 0;
    else return to_small_integer<I>(decode<F>(__x));
  }

  constexpr T& operator+=(T b) { return self() = self() + b; }
  constexpr T& operator-=(T b) { return self() = self() - b; }
  constexpr T& operator*=(T b) { return self() = self() * b; }
  constexpr T& operator/=(T b) { return self() = self() / b; }
  constexpr T& operator++() { return self() = self() + T(1); }
  constexpr T& operator--() { return self() = self() - T(1); }
  constexpr T  operator++(int) {
    const T old = self();
    ++*this;
    return old;
  }
  constexpr T operator--(int) {
    const T old = self();
    --*this;
    return old;
  }

  friend constexpr T    operator+(T a) { return a; }
  friend constexpr T    operator-(T a) { return of_bits(a.__x ^ 0x8000u); }
  friend constexpr T    operator+(T a, T b) { return T(wide(a) + wide(b)); }
  friend constexpr T    operator-(T a, T b) { return T(wide(a) - wide(b)); }
  friend constexpr T    operator*(T a, T b) { return T(wide(a) * wide(b)); }
  friend constexpr T    operator/(T a, T b) { return T(wide(a) / wide(b)); }
  friend constexpr bool operator==(T a, T b) { return wide(a) == wide(b); }
  friend constexpr bool operator!=(T a, T b) { return !(a == b); }
  friend constexpr bool operator<(T a, T b) { return wide(a) < wide(b); }
  friend constexpr bool operator>(T a, T b) { return wide(a) > wide(b); }
  friend constexpr bool operator<=(T a, T b) { return wide(a) <= wide(b); }
  friend constexpr bool operator>=(T a, T b) { return wide(a) >= wide(b); }

  friend constexpr T __hadd(T a, T b) { return a + b; }
  friend constexpr T __hadd_rn(T a, T b) { return a + b; }
  friend constexpr T __hsub(T a, T b) { return a - b; }
  friend constexpr T __hsub_rn(T a, T b) { return a - b; }
  friend constexpr T __hmul(T a, T b) { return a * b; }
  friend constexpr T __hmul_rn(T a, T b) { return a * b; }
  friend constexpr T __hdiv(T a, T b) { return a / b; }
  friend T           __hfma(T a, T b, T c) { return T(fused_to_odd(wide(a), wide(b), wide(c))); }
  friend constexpr T __hneg(T a) { return -a; }
  friend constexpr T __habs(T a) { return of_bits(a.__x & 0x7fffu); }
  friend constexpr T __hadd_sat(T a, T b) { return saturated(wide(a) + wide(b)); }
  friend constexpr T __hsub_sat(T a, T b) { return saturated(wide(a) - wide(b)); }
  friend constexpr T __hmul_sat(T a, T b) { return saturated(wide(a) * wide(b)); }
  friend T           __hfma_sat(T a, T b, T c) { return saturated(fused_to_odd(wide(a), wide(b), wide(c))); }
  friend T           __hfma_relu(T a, T b, T c) { return __hmax_nan(__hfma(a, b, c), T(0)); }

  friend constexpr bool __heq(T a, T b) { return a == b; }
  friend constexpr bool __hne(T a, T b) { return wide(a) < wide(b) || wide(a) > wide(b); }
  friend constexpr bool __hlt(T a, T b) { return a < b; }
  friend constexpr bool __hle(T a, T b) { return a <= b; }
  friend constexpr bool __hgt(T a, T b) { return a > b; }
  friend constexpr bool __hge(T a, T b) { return a >= b; }
  friend constexpr bool __hisnan(T a) { return (a.__x & 0x7fffu) > F.largest + 1; }
  friend constexpr int  __hisinf(T a) { return (a.__x & 0x7fffu) != F.largest + 1 ? 0 : a.__x >> 15 ? -1 : 1; }

  // A NaN gives way to a number, and (nan) to nothing; -0 is below +0.
  friend constexpr T __hmin(T a, T b) { return __hisnan(a) ? canonical(b) : __hisnan(b) || before(a, b) ? a : b; }
  friend constexpr T __hmax(T a, T b) { return __hisnan(a) ? canonical(b) : __hisnan(b) || before(b, a) ? a : b; }
  friend constexpr T __hmin_nan(T a, T b) { return __hisnan(a) || __hisnan(b) ? of_bits(F.nan) : __hmin(a, b); }
  friend constexpr T __hmax_nan(T a, T b) { return __hisnan(a) || __hisnan(b) ? of_bits(F.nan) : __hmax(a, b); }

  friend T hsqrt(T a) { return T(std::sqrt(wide(a))); }
  friend T hrsqrt(T a) { return T(1 / std::sqrt(wide(a))); }
  friend T hrcp(T a) { return T(1 / wide(a)); }
  friend T hexp(T a) { return T(std::exp(wide(a))); }
  friend T hexp2(T a) { return T(std::exp2(wide(a))); }
  friend T hexp10(T a) { return T(std::pow(10.0, wide(a))); }
  friend T hlog(T a) { return T(std::log(wide(a))); }
  friend T hlog2(T a) { return T(std::log2(wide(a))); }
  friend T hlog10(T a) { return T(std::log10(wide(a))); }
  friend T hsin(T a) { return T(std::sin(wide(a))); }
  friend T hcos(T a) { return T(std::cos(wide(a))); }
  friend T htanh(T a) { return T(std::tanh(wide(a))); }
  friend T hfloor(T a) { return T(std::floor(wide(a))); }
  friend T hceil(T a) { return T(std::ceil(wide(a))); }
  friend T htrunc(T a) { return T(std::trunc(wide(a))); }
  friend T hrint(T a) { return T(std::nearbyint(wide(a))); }

  static constexpr T of_bits(unsigned bits) {
    T t{};
    t.__x = static_cast<unsigned short>(bits);
    return t;
  }
  static constexpr T rounded_from(double value, Rounding rounding) { return of_bits(encode<F>(value, rounding)); }

private:
  template <class A> static constexpr double exact(A value) {
    if constexpr (std::is_integral_v<A>) return to_odd_double(value);
    else return double(value);
  }
  static constexpr double wide(T a) { return decode<F>(a.__x); }
  static constexpr T      canonical(T a) { return __hisnan(a) ? of_bits(F.nan) : a; }
  static constexpr T      saturated(double x) { return x > 0 ? (x < 1 ? T(x) : T(1)) : T(0); }
  static constexpr bool   before(T a, T b) { return a < b || (a == b && a.__x > b.__x); }
  constexpr T&            self() { return static_cast<T&>(*this); }
};

}  // namespace tma::machine::detail
