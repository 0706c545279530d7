#pragma once

#include "prologue.hpp"

#include "config.hpp"
#include "count.hpp"
#include "meta.hpp"

namespace tma::inline TMA_ABI {

namespace detail {

struct SlotsAccess;  // who reads slots

#if TMA_HAS_HOST_TEXT
// What host code does of arguments that cannot be right. host/check_slots.hpp, which tma.hpp has, takes a HostSlots<Descriptor> and
// throws tma::Error; without it the program ends.
extern "C" int dprintf(int, const char*, ...);  // of the C library, without its header
struct HostSlotsOfNoHeader {};
template <class Descriptor> struct HostSlots : HostSlotsOfNoHeader {};

inline void refuse_slots(HostSlotsOfNoHeader, const void* first, int count) {
  dprintf(
      2,
      "tma: slots = %p, %d of them: descriptors must lie at multiples of 64 bytes of device memory, and their number must "
      "be 0 or more. Fix: allocate them, and round offsets into a workspace up to a multiple of 128\n",
      first, count);
  __builtin_abort();
}

inline bool are_slots(const void* first, int count) {
  return TMA_DETAIL_IN_KERNEL || (count >= 0 && (first || count == 0) && reinterpret_cast<u64>(first) % 64 == 0);
}
#endif

}  // namespace detail

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

  /// `first` is in global memory and a multiple of 64; of 128 where kernels write the slots. In host code the error of a null
  /// pointer (M2), of another address (D1) or of a negative count (D2) is thrown; `tma::check_slots` asks. In a kernel checked
  /// builds look at each slot that is used.
  TMA_HOST_DEVICE DescriptorSlots(Descriptor* first, detail::Int32 count) : first_(first), count_(count) {
#if TMA_HAS_HOST_TEXT
    if (!detail::are_slots(first, count)) refuse_slots(detail::HostSlots<Descriptor>(), first, count);
#endif
  }

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
