#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "count.hpp"
#include "meta.hpp"

namespace tma::inline TMA_ABI {

namespace detail {
struct SlotsAccess;  // who reads slots
}

/// Descriptors in global memory, as a kernel sees them: where they lie, and how many.
///
/// Passed to the kernel by value; whose memory it is, is not its concern. A slot is not a descriptor yet: what lies there
/// was written by an ordinary copy or by a kernel, which the copy engine does not see by itself. `tma::acquire(slots, i)`
/// gives the descriptor.
template <class Descriptor> class DescriptorSlots {
public:
  using descriptor_type = Descriptor;

  /// From one slot to the next: 128, or 256 where the box is known at run time only.
  static constexpr int slot_bytes = int((sizeof(Descriptor) + 127) / 128 * 128);

  /// None.
  DescriptorSlots() = default;

  /// `first` is in global memory and a multiple of 64; of 128 where kernels write the slots.
  TMA_HOST_DEVICE DescriptorSlots(Descriptor* first, detail::Int32 count) : first_(first), count_(count) {}

  TMA_HOST_DEVICE int size() const { return count_; }

private:
  friend struct detail::SlotsAccess;
  Descriptor* first_ = nullptr;
  int         count_ = 0;
};

namespace detail {

struct SlotsAccess {
  template <class Descriptor> static TMA_HOST_DEVICE Descriptor* first(const DescriptorSlots<Descriptor>& slots) {
    return slots.first_;
  }
  template <class Descriptor> static TMA_HOST_DEVICE Descriptor* slot(const DescriptorSlots<Descriptor>& slots, int i) {
    if constexpr (sizeof(Descriptor) == DescriptorSlots<Descriptor>::slot_bytes) return slots.first_ + i;
    else
      return reinterpret_cast<Descriptor*>(reinterpret_cast<unsigned char*>(slots.first_) +
                                           i64(i) * DescriptorSlots<Descriptor>::slot_bytes);
  }
};

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "epilogue.hpp"
