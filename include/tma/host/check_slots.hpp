#pragma once

#include "../core/prologue.hpp"

#include "../core/descriptor_slots.hpp"
#include "error.hpp"

TMA_DETAIL_COLD_BEGIN

namespace tma::inline TMA_ABI {

/// What keeps `pointer` from being the first slot of descriptors: null (M2), or an address that is no multiple of 64 (D1). An
/// offset into a workspace is one of the ways to get there; what comes of it is a misaligned address at the first copy, or a
/// descriptor of other bytes.
[[nodiscard]] inline Report check_slots(const void* pointer) {
  Report    report;
  const int rest = int(reinterpret_cast<std::size_t>(pointer) % 128);
  if (!pointer) report.error("M2", "slots|null|descriptors lie in device memory|allocate before asking for the pointer");
  else if (rest % 64 != 0)
    report.error("D1",
                 "slots|%p|descriptors lie at multiples of 64 bytes, 128 bytes apart; the remainder is %d|"
                 "start at the next multiple of 128, %d bytes later: round offsets into a workspace up, or use a "
                 "tma::DescriptorArray",
                 pointer, rest % 64, 128 - rest);
  else if (rest != 0)
    report.warning("D1",
                   "slots|%p|copies take descriptors at multiples of 64 bytes, edits on the device want 128|"
                   "start at the next multiple of 128, %d bytes later",
                   pointer, 128 - rest);
  return report;
}

namespace detail {

#if TMA_HAS_HOST_TEXT
// What the constructor of DescriptorSlots does in host code where its arguments cannot be right.
template <class Descriptor> void refuse_slots(HostSlots<Descriptor>, const void* first, int count) {
  Report report;
  if (first) report = check_slots(first);
  else report.error("M2", "slots|null, of %d|slots must lie in device memory|allocate before making them", count);
  if (count < 0)
    report.error("D2", "count|%d|a number of slots must be 0 or more|look for a subtraction or a cast that went below zero",
                 count);
  if (!report.ok()) raise(Error("there are no such slots", report));
}
#endif

}  // namespace detail
}  // namespace tma::inline TMA_ABI

TMA_DETAIL_COLD_END

#include "../core/epilogue.hpp"
