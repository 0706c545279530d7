#pragma once

#include "stage_copies.hpp"

namespace tma {

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
        [&](auto& tile, const auto&... modifiers) { batch_->load(descriptor, at, tile, modifiers...); }, more...);
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
        [&](auto& buffer, const auto&... modifiers) { batch_->load(source, buffer, modifiers...); }, more...);
  }
  template <class T, int Count, class... More>
  TMA_DEVICE void operator()(const AlignedChunk<T, Count>& source, More... more) const {
    load(source, more...);
  }

private:
  template <int, class...> friend class InPlacePipeline;
  TMA_DEVICE InPlaceLoads(LoadBatch& batch, detail::StoredTiles<Stages, Tiles...>& tiles, int stage)
      : detail::StageCopies<Stages, Tiles...>(tiles, stage),
        batch_(&batch) {}

  LoadBatch* batch_;
};

}  // namespace tma
