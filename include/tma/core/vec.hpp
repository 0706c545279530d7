#pragma once

#include "config.hpp"
#include "meta.hpp"

namespace tma {

/// `N` neighbouring elements that a thread moves with one instruction: 2, 4, 8 or 16 bytes, aligned to their size.
template <class T, int N> struct alignas(N * sizeof(T)) Vec {
  static_assert(N * sizeof(T) <= 16 && (N & (N - 1)) == 0,
                "tma::Vec: a thread moves at most 16 bytes at once, and a power of two of elements");

  T value[N];

  static constexpr int size = N;

  TMA_HOST_DEVICE constexpr T&       operator[](int i) { return value[i]; }
  TMA_HOST_DEVICE constexpr const T& operator[](int i) const { return value[i]; }
  TMA_HOST_DEVICE constexpr T*       begin() { return value; }
  TMA_HOST_DEVICE constexpr T*       end() { return value + N; }
  TMA_HOST_DEVICE constexpr const T* begin() const { return value; }
  TMA_HOST_DEVICE constexpr const T* end() const { return value + N; }
};

}  // namespace tma
