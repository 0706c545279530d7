#pragma once

#include "../core/prologue.hpp"

#include "../core/descriptor.hpp"
#include "../core/descriptor_slots.hpp"
#include "check.hpp"

#include TMA_DETAIL_PTX(_tensormap)

namespace tma::inline TMA_ABI::detail {

template <class T> inline constexpr bool                   is_descriptor_v                           = false;
template <class T, int R, class Box> inline constexpr bool is_descriptor_v<TmaDescriptor<T, R, Box>> = true;

// Whether tensormap.replace knows the map's fields: not those of im2col.
template <class Descriptor> TMA_HOST_DEVICE constexpr bool is_tiled_map() {
  if constexpr (is_same_v<typename Descriptor::tile_type, void>) return true;
  else return BoxKind<typename Descriptor::box_type>::traversal < Traversal::im2col;
}

// A copy takes a map at a multiple of 64; the instructions that write one want it at its own size.
TMA_DEVICE void check_map_place([[maybe_unused]] const void* map, [[maybe_unused]] bool written) {
  if constexpr (checked) {
    check(ptx::is_global(map),
          "the slot of a descriptor is in global memory, and must be: kernel parameters and __constant__ descriptors are "
          "used as they "
          "are, and a copy in shared or local memory is seen by no engine. Fix: tma::DescriptorSlots of cudaMalloc's memory",
          0);
    check(u64(map) % 64 == 0,
          "a descriptor in global memory lies at a multiple of 64 bytes, and must. Fix: begin the slots at cudaMalloc's "
          "pointer, or "
          "at such an offset into a workspace; the address modulo 64",
          i64(u64(map) % 64));
    check(!written || u64(map) % 128 == 0,
          "a descriptor that a kernel writes lies at a multiple of 128 bytes, and must. Fix: begin the slots at one; the "
          "address "
          "modulo 128",
          i64(u64(map) % 128));
  }
}

template <class Descriptor>
TMA_DEVICE Descriptor* slot_at(const DescriptorSlots<Descriptor>& slots, int i, bool written = false) {
  check(i >= 0 && i < slots.size(),
        "there is no such slot: the index must be 0 to the number of slots - 1. Fix: the index, or more slots; the index",
        i);
  Descriptor* const slot = SlotsAccess::slot(slots, i);
  check_map_place(slot, written);
  return slot;
}

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
