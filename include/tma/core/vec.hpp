#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "meta.hpp"

namespace tma::inline TMA_ABI {

namespace detail {

// Asked before the alignment is given, which no other number of elements has.
template <class T, int N> TMA_HOST_DEVICE constexpr int vector_bytes() {
  constexpr u64  bytes = u64(N) * sizeof(T);
  constexpr bool fits  = N >= 1 && bytes <= 16 && (bytes & (bytes - 1)) == 0;
  static_assert(fits, "tma::Vec: a thread moves at most 16 bytes at once, and a power of two of them: N x sizeof(T) is 1, "
                      "2, 4, 8 or 16");
  return fits ? int(bytes) : int(alignof(T));
}

}  // namespace detail

/// `N` neighbouring elements that a thread moves with one instruction: 2, 4, 8 or 16 bytes, aligned to their size.
template <class T, int N> struct alignas(detail::vector_bytes<T, N>()) Vec {

  T value[N];

  static constexpr int size = N;

  TMA_HOST_DEVICE constexpr T&       operator[](int i) { return value[i]; }
  TMA_HOST_DEVICE constexpr const T& operator[](int i) const { return value[i]; }
  TMA_HOST_DEVICE constexpr T*       begin() { return value; }
  TMA_HOST_DEVICE constexpr T*       end() { return value + N; }
  TMA_HOST_DEVICE constexpr const T* begin() const { return value; }
  TMA_HOST_DEVICE constexpr const T* end() const { return value + N; }
};

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
