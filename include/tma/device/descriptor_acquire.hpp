#pragma once

#include "../core/prologue.hpp"

#include "descriptor_place.hpp"

namespace tma::inline TMA_ABI {

/// The descriptor in slot `i`, as it was last written: for copies issued by the calling thread from here on.
///
///     if (auto issuer = block.elect()) {
///       const auto& in = tma::acquire(slots, i);
///       issuer.load(in, at, tile, arrived);
///     }
///
/// Called by each thread that will issue through the slot, once a launch and slot, and again after the slot was written
/// again: 128 bytes are acquired, one descriptor. Order of kernels in a stream, a meeting of the block or of the grid are no
/// substitute: maps are read by a proxy of their own (PTX: fence.proxy.tensormap::generic.acquire).
///
/// The write itself comes first by ordinary means: an earlier copy or kernel of the stream, or a flag that this thread, or
/// one that it has met since, has read with acquire semantics. `From` says who may have written: `Scope::system`, the host's
/// copies and other devices; `Scope::device`, kernels of this device (`DescriptorEdit::publish`).
template <Scope From = Scope::system, class Descriptor>
[[nodiscard]] TMA_DEVICE const Descriptor& acquire(const DescriptorSlots<Descriptor>& slots, detail::Int32 i) {
  static_assert(detail::is_descriptor_v<Descriptor>, "tma::acquire: slots hold tma::TmaDescriptor objects");
  const Descriptor* const slot = detail::slot_at(slots, i);
  ptx::fence_tensormap_acquire<From>(slot);
  return *slot;
}

/// The same of a single descriptor in global memory: `__device__ Map map;`. One in a kernel parameter or in `__constant__`
/// memory is used as it is.
template <Scope From = Scope::system, class T, int Rank, class Box>
TMA_DEVICE void acquire(const TmaDescriptor<const T, Rank, Box>& descriptor) {
  detail::check_map_place(tensor_map(descriptor), false);
  ptx::fence_tensormap_acquire<From>(tensor_map(descriptor));
}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
