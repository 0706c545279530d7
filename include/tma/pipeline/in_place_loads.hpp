#pragma once

#include "../core/prologue.hpp"

#include "stage_copies.hpp"

namespace tma::inline TMA_ABI {

namespace detail {

template <class... Modifiers> TMA_HOST_DEVICE constexpr bool check_loads_of_one_block() {
  constexpr bool here = !is_multicast_v<Modifiers...>;
  static_assert(here,
                "tma::InPlacePipeline: a load fills a stage of its own block alone. A multicast would overwrite the stage "
                "of another block, which has not freed it and does not expect the bytes. Leave the tma::Multicast out: "
                "each block loads its tiles");
  return here;
}

template <class Descriptor, class At> struct BoxIntoStage {
  LoadBatch<>&                                               batch;
  const Descriptor&                                          descriptor;
  const At&                                                  at;
  template <class TileT, class... Modifiers> TMA_DEVICE void operator()(TileT& tile, const Modifiers&... modifiers) const {
    if constexpr (check_loads_of_one_block<Modifiers...>()) batch.load(descriptor, at, tile, modifiers...);
  }
};
template <class Chunk> struct ChunkIntoStage {
  LoadBatch<>& batch;
  const Chunk& chunk;
  template <class BufferT, class... Modifiers>
  TMA_DEVICE void operator()(BufferT& buffer, const Modifiers&... modifiers) const {
    if constexpr (check_loads_of_one_block<Modifiers...>()) batch.load(chunk, buffer, modifiers...);
  }
};

}  // namespace detail

template <int Stages, class... Tiles> class InPlacePipeline;

/// The loads of one step of an in-place ring: handed to the function that issues them, in one elected thread. Each tile of the
/// stage is loaded at most once; one that is left out is found as it was.
template <int Stages, class... Tiles> class InPlaceLoads : private detail::StageCopies<Stages, Tiles...> {
  using the_loads_of_one_step_are_not_those_of_another = InPlaceLoads;  // what the compiler prints of an assignment

public:
  InPlaceLoads(const InPlaceLoads&)                                                         = default;
  TMA_DEVICE InPlaceLoads& operator=(const the_loads_of_one_step_are_not_those_of_another&) = delete;

  /// Loads the tile of `descriptor` at `at` into the stage's tile of the descriptor's type. `more`: `tma::slot<I>`, where the
  /// type does not tell which tile; then modifiers, those of `Issuer::load`. Also written `load(descriptor, at)` where the
  /// argument is called `load`.
  template <class T, int Rank, class Box, class... More>
  TMA_DEVICE void load(const TmaDescriptor<const T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                       More... more) const {
    this->template with_tile<detail::box_tile_t<Box>>(
        detail::BoxIntoStage<TmaDescriptor<const T, Rank, Box>, detail::place_t<Box, Rank>>{*batch_, descriptor, at},
        more...);
  }
  template <class T, int Rank, class Box, class... More>
  TMA_DEVICE void operator()(const TmaDescriptor<const T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                             More... more) const {
    load(descriptor, at, more...);
  }

  /// Loads `Count` elements into the stage's buffer, or tile without swizzle.
  template <class T, int Count, class... More>
  TMA_DEVICE void load(const AlignedChunk<T, Count>& source, More... more) const {
    this->template with_tile<Buffer<detail::remove_cv_t<T>, Count>>(
        detail::ChunkIntoStage<AlignedChunk<T, Count>>{*batch_, source}, more...);
  }
  template <class T, int Count, class... More>
  TMA_DEVICE void operator()(const AlignedChunk<T, Count>& source, More... more) const {
    load(source, more...);
  }

private:
  template <int, class...> friend class InPlacePipeline;
  TMA_DEVICE InPlaceLoads(LoadBatch<>& batch, detail::StoredTiles<Stages, Tiles...>& tiles, int stage)
      : detail::StageCopies<Stages, Tiles...>(tiles, stage),
        batch_(&batch) {}

  LoadBatch<>* batch_;
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
