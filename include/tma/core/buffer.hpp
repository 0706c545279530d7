#pragma once

#include "prologue.hpp"

#include "ragged_buffer.hpp"  // what the refusal below names
#include "storage_1d.hpp"

namespace tma::inline TMA_ABI {

/// `Count` elements in shared memory for one-dimensional copies of exactly that size (`BulkCopy1D<Count>`).
template <class T, int Count> class Buffer : public detail::Storage1D<T, Count, 0> {
  using a_buffer_is_a_place_in_shared_memory__take_it_by_reference = Buffer;  // what the compiler prints of a copy

public:
  Buffer()                                                                             = default;
  Buffer(const a_buffer_is_a_place_in_shared_memory__take_it_by_reference&)            = delete;
  Buffer& operator=(const a_buffer_is_a_place_in_shared_memory__take_it_by_reference&) = delete;

  static_assert(Count * sizeof(T) % 16 == 0,
                "tma::Buffer: a bulk copy moves a multiple of 16 bytes; the hardware would silently drop the rest. Make "
                "the count a multiple of 16 bytes, or use tma::RaggedBuffer with a run-time length");
};

namespace detail {

template <class T> inline constexpr bool        is_buffer_v               = false;
template <class T, int N> inline constexpr bool is_buffer_v<Buffer<T, N>> = true;

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
