// Arithmetic: min and max of mixed types, the functions of <math.h> in the global namespace; the intrinsics for float and
// double.
//
// The fast intrinsics (__expf, __fdividef, ...) are exact here: a kernel that needs their error is not a kernel.
#pragma once

#include <math.h>
#include <stdlib.h>

#include "keywords.hpp"

// --- min, max: the pairs that CUDA has; a mixed pair becomes unsigned, or double -----------------------------------

#define TMA_DETAIL_MIN_MAX(A, B, R)                                                       \
  inline constexpr R min(A a, B b) {                                                      \
    return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
  }                                                                                       \
  inline constexpr R max(A a, B b) { return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(b) : static_cast<R>(a); }
#define TMA_DETAIL_MIN_MAX_OF(S, U) \
  TMA_DETAIL_MIN_MAX(S, S, S)       \
  TMA_DETAIL_MIN_MAX(U, U, U)       \
  TMA_DETAIL_MIN_MAX(S, U, U)       \
  TMA_DETAIL_MIN_MAX(U, S, U)

TMA_DETAIL_MIN_MAX_OF(int, unsigned)
TMA_DETAIL_MIN_MAX_OF(long, unsigned long)
TMA_DETAIL_MIN_MAX_OF(long long, unsigned long long)
#undef TMA_DETAIL_MIN_MAX_OF
#undef TMA_DETAIL_MIN_MAX

// A NaN gives way to a number.
inline float  min(float a, float b) { return fminf(a, b); }
inline float  max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(double(a), b); }
inline double max(float a, double b) { return fmax(double(a), b); }
inline double min(double a, float b) { return fmin(a, double(b)); }
inline double max(double a, float b) { return fmax(a, double(b)); }

inline constexpr unsigned           umin(unsigned a, unsigned b) { return min(a, b); }
inline constexpr unsigned           umax(unsigned a, unsigned b) { return max(a, b); }
inline constexpr long long          llmin(long long a, long long b) { return min(a, b); }
inline constexpr long long          llmax(long long a, long long b) { return max(a, b); }
inline constexpr unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
inline constexpr unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// --- what <math.h> does not have. noexcept, because a newer C library declares some of them so ---------------------

inline float  rsqrtf(float x) noexcept { return float(1 / sqrt(double(x))); }
inline double rsqrt(double x) noexcept { return 1 / sqrt(x); }
inline float  rcbrtf(float x) noexcept { return float(1 / cbrt(double(x))); }
inline double rcbrt(double x) noexcept { return 1 / cbrt(x); }
inline float  sinpif(float x) noexcept { return float(sin(3.141592653589793 * fmod(double(x), 2))); }
inline double sinpi(double x) noexcept { return sin(3.141592653589793 * fmod(x, 2)); }
inline float  cospif(float x) noexcept { return float(cos(3.141592653589793 * fmod(double(x), 2))); }
inline double cospi(double x) noexcept { return cos(3.141592653589793 * fmod(x, 2)); }
inline float  normcdff(float x) noexcept { return float(0.5 * erfc(double(x) * -0.7071067811865476)); }
inline double normcdf(double x) noexcept { return 0.5 * erfc(x * -0.7071067811865476); }
inline float  fdividef(float a, float b) noexcept { return a / b; }

// --- fast ones -----------------------------------------------------------------------------------------------------

inline float __expf(float x) noexcept { return expf(x); }
inline float __exp10f(float x) noexcept { return float(pow(10, double(x))); }
inline float __logf(float x) noexcept { return logf(x); }
inline float __log2f(float x) noexcept { return log2f(x); }
inline float __log10f(float x) noexcept { return log10f(x); }
inline float __sinf(float x) noexcept { return sinf(x); }
inline float __cosf(float x) noexcept { return cosf(x); }
inline float __tanf(float x) noexcept { return tanf(x); }
inline float __tanhf(float x) noexcept { return tanhf(x); }
inline float __powf(float x, float y) noexcept { return powf(x, y); }
inline void  __sincosf(float x, float* sine, float* cosine) noexcept { *sine = sinf(x), *cosine = cosf(x); }
inline float __fdividef(float a, float b) noexcept { return a / b; }
inline float __saturatef(float x) noexcept { return x > 0 ? (x < 1 ? x : 1) : 0; }

// --- rounded to nearest, and never fused ---------------------------------------------------------------------------

// Not inlined: the compiler could fuse an inlined product with a sum beside it.
#define TMA_DETAIL_ROUNDED(T, add, sub, mul, div, fused, reciprocal, root, fma_of, sqrt_of) \
  TMA_DETAIL_RAW inline T add(T a, T b) { return a + b; }                                   \
  TMA_DETAIL_RAW inline T sub(T a, T b) { return a - b; }                                   \
  TMA_DETAIL_RAW inline T mul(T a, T b) { return a * b; }                                   \
  inline T                div(T a, T b) { return a / b; }                                   \
  inline T                fused(T a, T b, T c) { return fma_of(a, b, c); }                  \
  inline T                reciprocal(T a) { return 1 / a; }                                 \
  inline T                root(T a) { return sqrt_of(a); }

TMA_DETAIL_ROUNDED(float, __fadd_rn, __fsub_rn, __fmul_rn, __fdiv_rn, __fmaf_rn, __frcp_rn, __fsqrt_rn, fmaf, sqrtf)
TMA_DETAIL_ROUNDED(double, __dadd_rn, __dsub_rn, __dmul_rn, __ddiv_rn, __fma_rn, __drcp_rn, __dsqrt_rn, fma, sqrt)
#undef TMA_DETAIL_ROUNDED

inline float __frsqrt_rn(float x) { return rsqrtf(x); }
