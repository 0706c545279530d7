// Descriptors that a kernel edits, or makes out of another.
#pragma once

#include "../core/prologue.hpp"

#include "descriptor_edit.hpp"
#include "descriptor_scratch.hpp"

namespace tma::inline TMA_ABI {
namespace detail {

// A descriptor of `const T` may begin as one of `T`; not the other way round.
template <class Descriptor> struct LoadOnly;
template <class T, int R, class Box> struct LoadOnly<TmaDescriptor<T, R, Box>> {
  using type = TmaDescriptor<const T, R, Box>;
};
template <class From, class To> TMA_HOST_DEVICE constexpr bool begins_as() {
  if constexpr (is_descriptor_v<From>) return is_same_v<From, To> || is_same_v<typename LoadOnly<From>::type, To>;
  else return false;
}

struct EditAccess {
  // In a copy of the map of `source`; `begin` makes the first edits.
  template <class Descriptor, class Source, class Begin>
  static TMA_DEVICE DescriptorEdit<Descriptor, u32> copy(DescriptorScratch<Descriptor>& scratch, const Source& source,
                                                         Begin begin) {
    check_kind<Descriptor>();
    Descriptor&      object  = ScratchAccess::descriptor(scratch);
    TensorMap&       to      = DescriptorAccess::map(object);
    const TensorMap& from    = DescriptorAccess::map(source);
    const u32        lane    = ptx::thread_rank() % 32;
    const bool       elected = ptx::elect_sync();
    ptx::sync_warp();  // after an earlier edit in the same scratch
    if (lane < 16) to.opaque[lane] = from.opaque[lane];
    if constexpr (is_same_v<typename Descriptor::tile_type, void>)
      if (elected) copy_box(object, source);
    ptx::sync_warp();
    return DescriptorEdit<Descriptor, u32>(elected, &object, ptx::shared_address(&to), begin);
  }
  template <class Descriptor>
  static TMA_DEVICE DescriptorEdit<Descriptor, void*> in_place(const DescriptorSlots<Descriptor>& slots, int i) {
    check_kind<Descriptor>();
    Descriptor* const slot = slot_at(slots, i, true);
    return DescriptorEdit<Descriptor, void*>(ptx::elect_sync(), slot, slot, [](const auto&) {});
  }

  // Everything that a type says. Dimensions that only the source had become those of the driver's maps: one element.
  template <int SourceRank, class Descriptor, class Map>
  static TMA_DEVICE void set_type(const DescriptorEdit<Descriptor, Map>& edit) {
    using T = remove_cv_t<typename Descriptor::value_type>;
    edit.template set<MapField::rank>(Descriptor::rank - 1);
    edit.template set_mode<MapField::element_type, map_number(element_type<T>)>();
    edit.template set_mode<MapField::interleave, map_number(Interleave::none)>();
    edit.template set_mode<MapField::fill, u32(Fill::zero)>();
    edit.template set_swizzle<Descriptor::tile_type::swizzle>();
    int ones[Descriptor::rank];
    for (int& one : ones) one = 1;
    edit.element_strides(ones);
    each_dimension(make_indices<SourceRank>(), [&](auto d) {
      if constexpr (d.value >= Descriptor::rank) {
        edit.template set<MapField::extent, d.value>(1);
        edit.template set<MapField::box, d.value>(1);
        edit.template set<MapField::element_stride, d.value>(1);
        edit.template set<MapField::stride, d.value - 1>(0);
      }
    });
  }

private:
  template <class Descriptor> static TMA_HOST_DEVICE constexpr void check_kind() {
    static_assert(is_descriptor_v<Descriptor>, "tma::edit: what is edited is a tma::TmaDescriptor");
    static_assert(is_tiled_map<Descriptor>(), "tma::edit: the device edits descriptors of tiles and of four rows. One of an "
                                              "im2col copy is made by the host");
  }
};

}  // namespace detail

/// A warp, all 32 threads, converged. Copies `source` to the scratch, which is in shared memory and this warp's, to be
/// edited there. `source` is a descriptor of the same kind in a kernel parameter, in `__constant__` or global memory.
template <class Descriptor, class Source>
[[nodiscard]] TMA_DEVICE auto edit(DescriptorScratch<Descriptor>& scratch, const Source& source) {
  constexpr bool fits = detail::begins_as<Source, Descriptor>();
  static_assert(fits, "tma::edit: an edit keeps element, rank, box and swizzle, which the type says. Make a descriptor of "
                      "another type with tma::describe(scratch, source, address, extents, strides)");
  if constexpr (fits) return detail::EditAccess::copy(scratch, source, [](const auto&) {});
}

/// The same in global memory, in the slot itself. Nothing but this warp uses the slot until the edit is published and
/// acquired.
template <class Descriptor>
[[nodiscard]] TMA_DEVICE auto edit(const DescriptorSlots<Descriptor>& slots, detail::Int32 i, const Drained&) {
  return detail::EditAccess::in_place(slots, i);
}
template <class Descriptor>
TMA_DEVICE DescriptorEdit<Descriptor, void*> edit(const DescriptorSlots<Descriptor>& slots, detail::Int32 i) {
  static_assert(detail::always_false<Descriptor>,
                "tma::edit: copies that are still under way read the descriptor while it changes. Say what they have done: "
                "tma::edit(slots, i, tma::drain(block)), or tma::no_copy_uses_it(); or edit a copy in shared memory");
  return detail::EditAccess::in_place(slots, i);
}

/// A warp, all 32 threads, converged. A descriptor of any tiled kind out of one of another: every field is written, but for
/// the promotion to L2, which is `source`'s. No driver is asked, and a kernel may so describe what it has just allocated.
///
///     auto edit = tma::describe(scratch, any_descriptor, matrix, {rows, columns}, {pitch, 1});
template <class Descriptor, class T, int Rank, class Box>
[[nodiscard]] TMA_DEVICE auto
describe(DescriptorScratch<Descriptor>& scratch, const TmaDescriptor<const T, Rank, Box>& source,
         typename Descriptor::value_type* address, const detail::i64 (&extents)[Descriptor::rank],
         const detail::i64 (&strides)[Descriptor::rank]) {
  static_assert(
      !detail::is_same_v<typename Descriptor::tile_type, void>,
      "tma::describe: the descriptor's type names a tile. One whose box is known at run time is edited from one of "
      "its own type");
  static_assert(detail::is_tiled_map<TmaDescriptor<const T, Rank, Box>>(),
                "tma::describe: the descriptor of an im2col copy does not become one of a tile. Begin with that of a tile");
  return detail::EditAccess::copy(scratch, source, [&](const auto& edit) {
    detail::EditAccess::set_type<Rank>(edit);
    edit.address(address).extents(extents).strides(strides);
  });
}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
