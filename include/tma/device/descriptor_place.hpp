#pragma once

#include "../core/descriptor.hpp"
#include "../core/descriptor_slots.hpp"
#include "check.hpp"

#include TMA_DETAIL_PTX(_tensormap)

namespace tma::detail {

template <class T> inline constexpr bool                   is_descriptor_v                           = false;
template <class T, int R, class Box> inline constexpr bool is_descriptor_v<TmaDescriptor<T, R, Box>> = true;

// Whether tensormap.replace knows the map's fields: not those of im2col.
template <class Descriptor> TMA_HOST_DEVICE constexpr bool is_tiled_map() {
  if constexpr (is_same_v<typename Descriptor::tile_type, void>) return true;
  else return BoxKind<typename Descriptor::box_type>::traversal < Traversal::im2col;
}

TMA_DEVICE void check_map_place([[maybe_unused]] const void* map) {
  if constexpr (checked) {
    check(u64(map) % 64 == 0,
          "a descriptor in global memory lies at a multiple of 64 bytes; cudaMalloc's pointers are, an "
          "offset into a workspace need not be; the address modulo 64",
          i64(u64(map) % 64));
    check(ptx::is_global(map),
          "the slot of a descriptor is in global memory: kernel parameters and __constant__ descriptors "
          "are used as they are, and a copy in shared or local memory is seen by no engine",
          0);
  }
}

template <class Descriptor> TMA_DEVICE Descriptor* slot_at(const DescriptorSlots<Descriptor>& slots, int i) {
  check(i >= 0 && i < slots.size(), "there is no such slot", i);
  Descriptor* const slot = SlotsAccess::first(slots) + i;
  check_map_place(slot);
  return slot;
}

}  // namespace tma::detail
