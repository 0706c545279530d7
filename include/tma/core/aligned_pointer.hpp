#pragma once

#include "prologue.hpp"

#include "aligned_chunk.hpp"
#include "config.hpp"
#include "meta.hpp"

namespace tma::inline TMA_ABI {

/// A pointer to global memory that is known to be a multiple of 16: made by `tma::aligned(pointer)` on the host, which
/// looks, or by `tma::assume_aligned(pointer)`, which takes the caller's word.
template <class T> class AlignedPointer {
  // What the compiler prints where one is made by hand.
  using an_aligned_pointer_comes_from_tma_aligned_or_tma_assume_aligned = T*;

public:
  using value_type = T;

  TMA_HOST_DEVICE T* get() const { return pointer_; }

  /// The i-th group of `Count` elements. Stays aligned, because `Count` elements are a multiple of 16 bytes.
  template <int Count> TMA_HOST_DEVICE AlignedChunk<T, Count> chunk(detail::i64 i) const;

  /// A pointer to const elements from one to elements.
  template <class U>
    requires(detail::is_same_v<const U, T>)
  TMA_HOST_DEVICE AlignedPointer(const AlignedPointer<U>& other) : pointer_(other.get()) {}

private:
  friend struct detail::AlignedPointerAccess;
  TMA_HOST_DEVICE explicit AlignedPointer(an_aligned_pointer_comes_from_tma_aligned_or_tma_assume_aligned pointer)
      : pointer_(pointer) {}
  T* pointer_;
};

namespace detail {

struct AlignedPointerAccess {
  template <class T> static TMA_HOST_DEVICE AlignedPointer<T> pointer(T* p) { return AlignedPointer<T>(p); }
  template <int Count, class T> static TMA_HOST_DEVICE AlignedChunk<T, Count> chunk(T* p) {
    return AlignedChunk<T, Count>(p);
  }
};

}  // namespace detail

template <class T>
template <int Count>
TMA_HOST_DEVICE AlignedChunk<T, Count> AlignedPointer<T>::chunk(detail::i64 i) const {
  return detail::AlignedPointerAccess::chunk<Count>(pointer_ + i * Count);
}

/// Takes the caller's word that `pointer` is a multiple of 16. A copy from one that is not stops the kernel with a
/// misaligned address.
template <class T> TMA_HOST_DEVICE AlignedPointer<T> assume_aligned(T* pointer) {
  return detail::AlignedPointerAccess::pointer(pointer);
}

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
