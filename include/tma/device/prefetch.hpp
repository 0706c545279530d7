// Prefetches into the second-level cache: `issuer.prefetch(in, at)`, `issuer.prefetch(chunk)`, and of a descriptor:
// `issuer.prefetch_descriptor(in)`. The calls are in issuer.hpp, what they need is here.
#pragma once

#include "../core/prologue.hpp"

#include "cache_policy.hpp"
#include "issuer.hpp"

#include TMA_DETAIL_PTX(_prefetch)

namespace tma::inline TMA_ABI::detail {

template <CopyForm F, int Rank>
TMA_DEVICE void prefetch_box(BoxCopies<Traversal::tiled, Rank>, const void* map, const Coord<Rank>& at,
                             const CopyExtra& extra) {
  ptx::tensor_prefetch<Rank, F>(map, reversed(at), extra);
}

template <class> struct IssuePrefetch {
  template <class T, int Rank, class Box, class... Modifiers>
  static TMA_DEVICE void tensor(const TmaDescriptor<const T, Rank, Box>& descriptor, const place_t<Box, Rank>& at,
                                const Modifiers&... modifiers) {
    if constexpr (check_box<Box, Rank>() && check_modifiers<CopyKind::prefetch, Modifiers...>()) {
      check_place(descriptor);
      using Copies = box_copies_t<Box, Rank>;
      check_inner<T>(Copies::inner(at));
      prefetch_box<form_of<Modifiers...>()>(Copies(), tensor_map(descriptor), in_elements<T, Copies>(at),
                                            extra_of(modifiers...));
    }
  }

  template <class T, int Count, class... Modifiers>
  static TMA_DEVICE void chunk(const AlignedChunk<T, Count>& source, const Modifiers&... modifiers) {
    check(u64(source.get()) % 16 == 0,
          "the source of a bulk copy must be a multiple of 16. Fix: begin at the multiple before; the address modulo 16",
          i64(u64(source.get()) % 16));
    if constexpr (check_modifiers<CopyKind::prefetch, Modifiers...>())
      ptx::bulk_prefetch<form_of<Modifiers...>()>(source.get(), AlignedChunk<T, Count>::payload_bytes,
                                                  extra_of(modifiers...));
  }

  template <class T, int Rank, class Box>
  static TMA_DEVICE void descriptor(const TmaDescriptor<const T, Rank, Box>& descriptor) {
    check_place(descriptor);
    ptx::prefetch_map(tensor_map(descriptor));
  }
};

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
