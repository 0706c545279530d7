// Reductions: what is brought is combined with what is there. `issuer.reduce<tma::Reduction::add>(out, at, ready)`, and
// StoreGroup::reduce; the calls are in issuer.hpp and store.hpp, what they need is here.
#pragma once

#include "../core/prologue.hpp"

#include "../core/reduction_types.hpp"
#include "issuer.hpp"

#include TMA_DETAIL_PTX(_reduce)

namespace tma::inline TMA_ABI::detail {

// The ways to walk a tensor that a reduction has: those of the stores, without scattered rows.
template <Reduction Op, CopyForm F, int Rank>
TMA_DEVICE void reduce_box(BoxCopies<Traversal::tiled, Rank>, const void* map, const Coord<Rank>& at, u32 tile,
                           const CopyExtra& extra) {
  ptx::tensor_reduce<Op, Traversal::tiled, Rank, F>(map, reversed(at), tile, extra);
}

template <Reduction Op> struct IssueReduction {
  template <class T, int Rank, class Box, class TileT, class... Modifiers>
  static TMA_DEVICE void issue(const TmaDescriptor<T, Rank, Box>& descriptor, const place_t<Box, Rank>& at,
                               const Published<TileT>& tile, const Modifiers&... modifiers) {
    using Copies       = box_copies_t<Box, Rank>;
    constexpr bool has = Copies::stores && traversal_of<Box>() != Traversal::rows4;
    static_assert(has, "tma: a tensor is reduced into in boxes, or in pixels through an Im2col descriptor: PTX has no "
                       "reduction of scattered rows, nor along w alone. Make a descriptor of a tile for it");
    if constexpr (check_written<T>() && check_tile<T, Rank, Box, TileT>() &&
                  check_reduction<Op, element_type<T>, ReducedPlace::tensor>() &&
                  check_modifiers<CopyKind::reduce, Modifiers...>() && has) {
      if constexpr (checked) {
        check_copy<TileT>(descriptor, at, ptx::shared_address(tile->storage()));
        check_not_negative(at);
      }
      reduce_box<Op, form_of<Modifiers...>()>(Copies(), tensor_map(descriptor), at, ptx::shared_address(tile->storage()),
                                              extra_of(modifiers...));
    }
  }

  template <class T, int Count, class BufferT, class... Modifiers>
  static TMA_DEVICE void issue(const AlignedChunk<T, Count>& destination, const Published<BufferT>& buffer,
                               const Modifiers&... modifiers) {
    check_chunk<T, Count, BufferT>(destination);
    if constexpr (check_reduction<Op, element_type<T>, ReducedPlace::global>() &&
                  check_modifiers<CopyKind::reduce, Modifiers...>())
      ptx::bulk_reduce<Op, element_type<T>, form_of<Modifiers...>()>(
          destination.get(), ptx::shared_address(buffer->storage()), AlignedChunk<T, Count>::payload_bytes,
          extra_of(modifiers...));
  }
};

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
