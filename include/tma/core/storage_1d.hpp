#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "meta.hpp"
#include "vec.hpp"

namespace tma::inline TMA_ABI::detail {

// One-dimensional shared storage. `Slack` bytes more than the elements need let element 0 start where the
// alignment of the global pointer wants it.
template <class T, int Count, int Slack> class alignas(128) Storage1D {
public:
  using value_type = T;

  static constexpr int  size          = Count;
  static constexpr int  payload_bytes = Count * int(sizeof(T));
  static constexpr bool is_plain      = true;
  static constexpr bool has_slack     = Slack > 0;

  static_assert(Count >= 1, "tma: a buffer holds at least one element");
  static_assert(__is_trivially_copyable(T), "tma: the copy engine moves bytes: the element must be trivially copyable");
  static_assert(u64(Count) * sizeof(T) + Slack <= 227 * 1024,
                "tma: the buffer does not fit the 227 KiB of shared memory that a block can have");

  Storage1D()                            = default;
  Storage1D(const Storage1D&)            = delete;  // a place in shared memory, not a value
  Storage1D& operator=(const Storage1D&) = delete;

  template <class I> TMA_HOST_DEVICE T& operator[](I i) {
    TMA_DETAIL_INDEX(i, Count);
    return data()[int(i)];
  }
  template <class I> TMA_HOST_DEVICE const T& operator[](I i) const {
    TMA_DETAIL_INDEX(i, Count);
    return data()[int(i)];
  }
  TMA_HOST_DEVICE T*          data() { return reinterpret_cast<T*>(first()); }
  TMA_HOST_DEVICE const T*    data() const { return reinterpret_cast<const T*>(const_cast<Storage1D*>(this)->first()); }
  TMA_HOST_DEVICE void*       storage() { return bytes_; }
  TMA_HOST_DEVICE const void* storage() const { return bytes_; }

  /// The i-th group of `N` elements, at most 16 bytes.
  template <int N, class I> TMA_HOST_DEVICE Vec<T, N>& vector(I i) {
    TMA_DETAIL_INDEX(i, Count / N);
    return reinterpret_cast<Vec<T, N>*>(first())[int(i)];
  }
  template <int N, class I> TMA_HOST_DEVICE const Vec<T, N>& vector(I i) const {
    return const_cast<Storage1D*>(this)->template vector<N>(i);
  }

private:
  TMA_HOST_DEVICE unsigned char* first() {
    static_assert(!has_slack, "tma::RaggedBuffer: where element 0 lies is known after the load only. Use what the load "
                              "returns: auto data = copy.load(block, buffer, pointer, count, arrived), then data[i]");
    return bytes_;
  }

  unsigned char bytes_[payload_bytes + Slack];
};

}  // namespace tma::inline TMA_ABI::detail

#include "epilogue.hpp"
