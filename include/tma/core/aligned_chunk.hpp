#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "meta.hpp"

namespace tma::inline TMA_ABI {

namespace detail {
struct AlignedPointerAccess;
}

/// `Count` elements of global memory that start at a multiple of 16 bytes: what a bulk copy of static size moves.
template <class T, int Count> class AlignedChunk {
  // What the compiler prints where one is made by hand.
  using a_chunk_comes_from_the_function_chunk_of_an_aligned_pointer = T*;

public:
  static_assert(Count >= 1 && Count * sizeof(T) % 16 == 0,
                "tma::AlignedChunk: a bulk copy moves a multiple of 16 bytes; the hardware would silently drop the "
                "rest. Make the count a multiple of 16 bytes, or use a tma::BulkCopy1D of run-time length");

  using value_type = T;

  static constexpr int size          = Count;
  static constexpr int payload_bytes = Count * int(sizeof(T));

  TMA_HOST_DEVICE T* get() const { return pointer_; }

private:
  friend struct detail::AlignedPointerAccess;
  TMA_HOST_DEVICE explicit AlignedChunk(a_chunk_comes_from_the_function_chunk_of_an_aligned_pointer pointer)
      : pointer_(pointer) {}
  T* pointer_;
};

}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
