#pragma once

#include "config.hpp"
#include "meta.hpp"

namespace tma {

namespace detail {
struct SlotsAccess;  // who reads slots
}

/// Descriptors in global memory, as a kernel sees them: where they lie, and how many.
///
/// Slot i lies at `first + i`: 128 bytes further for a descriptor with a tile, 192 for one whose box is known at run time.
/// Passed to the kernel by value; whose memory it is, is not its concern. A slot is not a descriptor yet: what lies there was written by an ordinary copy or by a
/// kernel, which the copy engine does not see by itself. `tma::acquire(slots, i)` gives the descriptor.
template <class Descriptor> class DescriptorSlots {
public:
  using descriptor_type = Descriptor;

  /// None.
  DescriptorSlots() = default;

  /// `first` is in global memory, and a multiple of 64.
  TMA_HOST_DEVICE DescriptorSlots(Descriptor* first, int count) : first_(first), count_(count) {}

  TMA_HOST_DEVICE int size() const { return count_; }

private:
  friend struct detail::SlotsAccess;
  Descriptor* first_ = nullptr;
  int         count_ = 0;
};

namespace detail {

struct SlotsAccess {
  template <class Descriptor> static TMA_HOST_DEVICE DescriptorSlots<Descriptor> make(Descriptor* first, int count) {
    return {first, count};
  }
  template <class Descriptor> static TMA_HOST_DEVICE Descriptor* first(const DescriptorSlots<Descriptor>& slots) {
    return slots.first_;
  }
};

}  // namespace detail
}  // namespace tma
