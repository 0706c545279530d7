// Stand-in for CUDA's header of this name: the 8-bit floats. They are storage: arithmetic is for the types they convert to.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

namespace tma::machine::detail {

// What both have in common. Too large numbers, infinities too, become the largest finite one.
template <class T, FloatFormat F> struct Float8 {
  unsigned char __x;

  Float8() = default;
  template <class A>
    requires(std::is_arithmetic_v<A>)
  constexpr explicit Float8(A value) : __x(static_cast<unsigned char>(encode<F>(exact(value), Rounding::nearest, true))) {}
  constexpr explicit Float8(__half value) : Float8(float(value)) {}
  constexpr explicit Float8(__nv_bfloat16 value) : Float8(float(value)) {}

  constexpr explicit operator float() const { return float(decode<F>(__x)); }
  constexpr explicit operator double() const { return decode<F>(__x); }
  constexpr explicit operator __half() const { return decode<F>(__x); }
  constexpr explicit operator __nv_bfloat16() const { return decode<F>(__x); }
  template <class I>
    requires(std::is_integral_v<I>)
  constexpr explicit operator I() const {
    if constexpr (std::is_same_v<I, bool>) return (__x & 0x7f) != 0;
    else return to_small_integer<I>(decode<F>(__x));
  }

private:
  template <class A> static constexpr double exact(A value) {
    if constexpr (std::is_integral_v<A>) return to_odd_double(value);
    else return double(value);
  }
};

}  // namespace tma::machine::detail

struct __nv_fp8_e4m3 : ::tma::machine::detail::Float8<__nv_fp8_e4m3, ::tma::machine::detail::e4m3_format> {
  using Float8::Float8;
  __nv_fp8_e4m3() = default;
};
struct __nv_fp8_e5m2 : ::tma::machine::detail::Float8<__nv_fp8_e5m2, ::tma::machine::detail::e5m2_format> {
  using Float8::Float8;
  __nv_fp8_e5m2() = default;
};

// --- conversions of the bits ---------------------------------------------------------------------------------------

inline constexpr __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t as) {
  using namespace ::tma::machine::detail;
  const bool finite = saturate == __NV_SATFINITE;
  return static_cast<__nv_fp8_storage_t>(as == __NV_E4M3 ? encode<e4m3_format>(x, Rounding::nearest, finite)
                                                         : encode<e5m2_format>(x, Rounding::nearest, finite));
}
inline constexpr __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                          __nv_fp8_interpretation_t as) {
  return __nv_cvt_double_to_fp8(double(x), saturate, as);
}
inline constexpr __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                            __nv_fp8_interpretation_t as) {
  return __nv_cvt_float_to_fp8(float(__half(x)), saturate, as);
}
inline constexpr __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                                __nv_fp8_interpretation_t as) {
  return __nv_cvt_float_to_fp8(float(__nv_bfloat16(x)), saturate, as);
}
inline constexpr __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t as) {
  using namespace ::tma::machine::detail;
  return __half(as == __NV_E4M3 ? decode<e4m3_format>(x) : decode<e5m2_format>(x));
}
