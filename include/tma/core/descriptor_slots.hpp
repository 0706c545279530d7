#pragma once

#include "config.hpp"
#include "meta.hpp"

namespace tma {

namespace detail {
struct SlotsAccess;  // who makes slots, and who reads them
}

/// Descriptors in global memory, as a kernel sees them: where they lie, and how many.
///
/// Passed to the kernel by value. A slot is not a descriptor yet: what lies there was written by an ordinary copy or by a
/// kernel, which the copy engine does not see by itself. `tma::acquire(slots, i)` gives the descriptor.
template <class Descriptor> class DescriptorSlots {
public:
  using descriptor_type = Descriptor;

  /// None.
  DescriptorSlots() = default;

  TMA_HOST_DEVICE int size() const { return count_; }

private:
  friend struct detail::SlotsAccess;
  Descriptor* first_ = nullptr;
  int         count_ = 0;
};

namespace detail {

struct SlotsAccess {
  template <class Descriptor> static TMA_HOST_DEVICE DescriptorSlots<Descriptor> make(Descriptor* first, int count) {
    static_assert(sizeof(Descriptor) % 64 == 0 && alignof(Descriptor) >= 64, "tma: a slot is a multiple of 64 bytes");
    DescriptorSlots<Descriptor> slots;
    slots.first_ = first;
    slots.count_ = count;
    return slots;
  }
  template <class Descriptor> static TMA_HOST_DEVICE Descriptor* first(const DescriptorSlots<Descriptor>& slots) {
    return slots.first_;
  }
};

}  // namespace detail
}  // namespace tma
