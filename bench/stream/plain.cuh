// The same work without the copy engine.
#pragma once

#include <tma/core/vec.hpp>

#include "kernels.cuh"

namespace stream {

// Each thread asks for all its vectors before it uses the first.
template <class T, class Op, int Vectors, int Threads>
__global__ void __launch_bounds__(Threads) plain(const T* a, const T* b, T* y, Op op) {
  using V               = tma::Vec<T, per_vector<T>>;
  const long long   at  = (long long)(blockIdx.x) * Threads * Vectors + threadIdx.x;
  const auto* const x   = reinterpret_cast<const V*>(a) + at;
  const auto* const z   = reinterpret_cast<const V*>(b) + at;
  auto* const       out = reinterpret_cast<V*>(y) + at;
  V                 from[Vectors], with[Vectors];
#pragma unroll
  for (int k = 0; k < Vectors; ++k) {
    from[k] = x[k * Threads];
    if constexpr (Op::inputs == 2) with[k] = z[k * Threads];
  }
#pragma unroll
  for (int k = 0; k < Vectors; ++k) out[k * Threads] = apply(op, from[k], Op::inputs == 2 ? with[k] : from[k]);
}

// The same with the hint that the engine's loads have.
template <class T, class Op, int Threads>
__global__ void __launch_bounds__(Threads) plain_kept(const T* a, const T* b, T* y, Op op) {
  using V                       = tma::Vec<T, per_vector<T>>;
  const long long          at   = (long long)(blockIdx.x) * Threads + threadIdx.x;
  const unsigned long long k    = tma::evict_last().bits();
  const auto               load = [&](const T* p) {
    uint4 v;
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(reinterpret_cast<const V*>(p) + at), "l"(k));
    return __builtin_bit_cast(V, v);
  };
  const V x = load(a), z = Op::inputs == 2 ? load(b) : x;
  reinterpret_cast<V*>(y)[at] = apply(op, x, z);
}

// Copies of arrays that are aligned to their elements alone: an element at a time,
template <class T, int Each, int Threads>
__global__ void __launch_bounds__(Threads) plain_elements(const T* a, T* y, long long n) {
  const long long at = (long long)(blockIdx.x) * Threads * Each + threadIdx.x;
  T               v[Each];
#pragma unroll
  for (int k = 0; k < Each; ++k)
    if (at + k * Threads < n) v[k] = a[at + k * Threads];
#pragma unroll
  for (int k = 0; k < Each; ++k)
    if (at + k * Threads < n) y[at + k * Threads] = v[k];
}

// or 16 bytes at a time where both lie alike, but for the ends.
template <class T, int Threads> __global__ void __launch_bounds__(Threads) plain_alike(const T* a, T* y, long long n) {
  constexpr int   vector = per_vector<T>;
  const long long head = (16 - (unsigned long long)(a) % 16) % 16 / sizeof(T), body = (n - head) / vector;
  const long long at = (long long)(blockIdx.x) * Threads + threadIdx.x;
  if (at < body) reinterpret_cast<uint4*>(y + head)[at] = reinterpret_cast<const uint4*>(a + head)[at];
  const long long tail = head + body * vector;
  if (at < head) y[at] = a[at];
  if (at < n - tail) y[tail + at] = a[tail + at];
}

}  // namespace stream
