#pragma once

#include "prologue.hpp"

#include "descriptor.hpp"
#include "loads.hpp"

namespace tma::inline TMA_ABI {
namespace detail {

struct ThreadDescriptorAccess;  // the host room writes through it, the pipeline's loads read

// What threads can load besides: plain tiles, of elements that are the same bytes in both memories.
template <class T, int Rank, class TileT> TMA_HOST_DEVICE constexpr bool check_thread_tensor() {
  static_assert(is_tile_v<TileT>,
                "tma::ThreadDescriptor: the third argument is a tma::Tile. Threads load boxes of a tensor; "
                "im2col and rows4 are the engine's, and so is a box that is known at run time only");
  static_assert(global_bytes<T> == int(sizeof(T)),
                "tma::ThreadDescriptor: padded packed elements are unpacked by the engine; view them as bytes, or as "
                "tma::u4x16");
  return check_tensor<T, Rank, TileT>();
}

}  // namespace detail

/// A tensor in global memory as threads load it, cut into tiles of one type: what stands in a `TmaDescriptor`'s place where the
/// copy engine cannot have the tensor, or is not there.
///
/// Made on the host by `tma::make_thread_descriptor`, passed to the kernel by value. The same three arguments as
/// `TmaDescriptor`, so that a kernel template takes either (`tma::descriptor_for`). A descriptor of `const T` can only be
/// loaded from; one of `T` is one of `const T` as well. Trivially copyable, in device code too: it holds numbers, which lie
/// as well in registers, where a tensor map must stay where the engine finds it.
///
/// Base and strides are any multiples of the element's size; strides may be 0, or negative. No more than 2^31 elements a
/// dimension, which is what coordinates reach.
template <class T, int Rank, class TileT> class ThreadDescriptor : public ThreadDescriptor<const T, Rank, TileT> {
public:
  using value_type = T;
};

template <class T, int Rank, class TileT> class ThreadDescriptor<const T, Rank, TileT> {
public:
  using value_type = const T;
  using box_type   = TileT;
  using tile_type  = TileT;

  static constexpr int rank = Rank;

  static_assert(detail::check_thread_tensor<T, Rank, TileT>());

  /// Bytes that threads move at once where the innermost coordinate allows it as well: the largest power of two, up to 16,
  /// that base and strides are multiples of.
  TMA_HOST_DEVICE int granule() const { return int(granule_); }

private:
  friend struct detail::ThreadDescriptorAccess;
  const unsigned char* base_;
  detail::i64          stride_[Rank];  // bytes, slowest first; the innermost is one element
  detail::u32          extent_[Rank];  // at most 2^31: a negative index is larger
  detail::u32          granule_;
};

namespace detail {

struct ThreadDescriptorAccess {
  template <class T, int Rank, class TileT>
  static TMA_HOST_DEVICE void set(ThreadDescriptor<const T, Rank, TileT>& d, const void* base, const i64* extents,
                                  const i64* strides) {
    d.base_  = static_cast<const unsigned char*>(base);
    u64 bits = reinterpret_cast<u64>(base) | 16;
    for (int i = 0; i < Rank; ++i) {
      d.extent_[i] = u32(extents[i]);
      d.stride_[i] = strides[i];
      if (i < Rank - 1) bits |= u64(strides[i]);
    }
    d.granule_ = u32(bits & (~bits + 1));
  }
  template <class T, int Rank, class TileT>
  static TMA_HOST_DEVICE const unsigned char* base(const ThreadDescriptor<const T, Rank, TileT>& d) {
    return d.base_;
  }
  template <class T, int Rank, class TileT>
  static TMA_HOST_DEVICE u32 extent(const ThreadDescriptor<const T, Rank, TileT>& d, int dimension) {
    return d.extent_[dimension];
  }
  template <class T, int Rank, class TileT>
  static TMA_HOST_DEVICE i64 stride(const ThreadDescriptor<const T, Rank, TileT>& d, int dimension) {
    return d.stride_[dimension];
  }
};

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
