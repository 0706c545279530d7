// What the bench computes, element by element, for every implementation alike.
#pragma once

#include <cuda_fp16.h>

namespace stream {

struct alignas(16) Wide {  // an element of 16 bytes
  float x[4];
};

// a * s, and a + s * b rounded once where the type has that.
template <class T> __host__ __device__ T scaled(T a, T s) { return T(a * s); }
template <class T> __host__ __device__ T fused(T s, T b, T a) {
  if constexpr (sizeof(T) == 8) return fma(s, b, a);
  else if constexpr (sizeof(T) == 4) return fmaf(s, b, a);
  else return T(s * b + a);
}
inline __device__ __half fused(__half s, __half b, __half a) { return __hfma(s, b, a); }

template <class T> struct Copy {
  static constexpr int  inputs = 1;
  static constexpr bool moves  = true;  // no thread has to touch the values
  __host__ __device__ T operator()(T a) const { return a; }
};
template <class T> struct Scale {
  static constexpr int  inputs = 1;
  static constexpr bool moves  = false;
  T                     s;
  __host__ __device__ T operator()(T a) const { return scaled(a, s); }
};
template <class T> struct Add {
  static constexpr int  inputs = 2;
  static constexpr bool moves  = false;
  __host__ __device__ T operator()(T a, T b) const { return T(a + b); }
};
template <class T> struct Triad {
  static constexpr int  inputs = 2;
  static constexpr bool moves  = false;
  T                     s;
  __device__ T          operator()(T a, T b) const { return fused(s, b, a); }
};

}  // namespace stream
