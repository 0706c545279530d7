#pragma once

#include "../core/prologue.hpp"

#include "../device/device_code.hpp"
#include "stage_copies.hpp"

namespace tma::inline TMA_ABI {

namespace detail {

// What is done with a stage's tile once it is known which one. (Classes, and not functions of `auto`, which NVRTC takes for the
// host's.)
struct IssueStore {
  template <class... Arguments> static TMA_DEVICE void issue(const Arguments&... arguments) { issue_store(arguments...); }
};
template <class How, class Descriptor, class At> struct BoxOfStage {
  const Descriptor& descriptor;
  const At&         at;
  template <class TileT, class... Modifiers>
  TMA_DEVICE void operator()(const TileT& tile, const Modifiers&... modifiers) const {
    How::issue(descriptor, at, PublishAccess::publish(tile), modifiers...);
  }
};
template <class How, class Chunk> struct ChunkOfStage {
  const Chunk& chunk;
  template <class BufferT, class... Modifiers>
  TMA_DEVICE void operator()(const BufferT& buffer, const Modifiers&... modifiers) const {
    How::issue(chunk, PublishAccess::publish(buffer), modifiers...);
  }
};

}  // namespace detail

template <class Group, int Stages, class... Tiles> class StoreRing;
template <int Stages, class... Tiles> class InPlacePipeline;

/// The stores of one step of a ring: handed to the function that issues them, in one elected thread, when the stage's tiles
/// have been published. They are one bulk group, which the ring commits: any number of stores, none as well.
///
///     out.next([&](Tile& tile) { ... }, [&](auto store) { store(to, at); });
///
/// Not for use after the function has returned.
template <int Stages, class... Tiles> class StageStores : private detail::StageCopies<Stages, Tiles...> {
  using the_stores_of_one_step_are_not_those_of_another = StageStores;  // what the compiler prints of an assignment

public:
  StageStores(const StageStores&)                                                           = default;
  TMA_DEVICE StageStores& operator=(const the_stores_of_one_step_are_not_those_of_another&) = delete;

  /// Stores the stage's tile of the descriptor's type to where `descriptor` has it at `at`. Elements outside the tensor are
  /// not written; `at` is not negative. `more`: `tma::slot<I>`, where the type does not tell which tile; then modifiers, those
  /// of `Issuer::store`. Also written `store(descriptor, at)` where the argument is called `store`.
  template <class T, int Rank, class Box, class... More>
  TMA_DEVICE void store(const TmaDescriptor<T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                        More... more) const {
    this->template with_tile<detail::box_tile_t<Box>>(box<detail::IssueStore>(descriptor, at), more...);
  }
  template <class T, int Rank, class Box, class... More>
  TMA_DEVICE void operator()(const TmaDescriptor<T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                             More... more) const {
    store(descriptor, at, more...);
  }

  /// Stores the first `Count` elements of the stage's buffer, or tile without swizzle.
  template <class T, int Count, class... More>
  TMA_DEVICE void store(const AlignedChunk<T, Count>& destination, More... more) const {
    this->template with_tile<Buffer<detail::remove_cv_t<T>, Count>>(
        detail::ChunkOfStage<detail::IssueStore, AlignedChunk<T, Count>>{destination}, more...);
  }
  template <class T, int Count, class... More>
  TMA_DEVICE void operator()(const AlignedChunk<T, Count>& destination, More... more) const {
    store(destination, more...);
  }

  /// As the stores above, but combines by `Op` what it brings with what is there: `StoreGroup::reduce`. In a function whose
  /// argument is `auto store` C++ wants the word: `store.template reduce<tma::Reduction::add>(descriptor, at)`. Needs
  /// <tma/device/reduce.hpp>.
  template <Reduction Op, class T, int Rank, class Box, class... More>
  TMA_DEVICE void reduce(const TmaDescriptor<T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                         More... more) const {
    if constexpr (can_reduce<Op>())
      this->template with_tile<detail::box_tile_t<Box>>(box<detail::IssueReduction<Op>>(descriptor, at), more...);
  }
  template <Reduction Op, class T, int Count, class... More>
  TMA_DEVICE void reduce(const AlignedChunk<T, Count>& destination, More... more) const {
    if constexpr (can_reduce<Op>())
      this->template with_tile<Buffer<detail::remove_cv_t<T>, Count>>(
          detail::ChunkOfStage<detail::IssueReduction<Op>, AlignedChunk<T, Count>>{destination}, more...);
  }

  template <class T, int Rank, class Box, class... More>
  TMA_DEVICE void load(const TmaDescriptor<const T, Rank, Box>&, const detail::place_t<Box, Rank>&, const More&...) const {
    refuse_load<T>();
  }
  template <class T, int Count, class... More> TMA_DEVICE void load(const AlignedChunk<T, Count>&, const More&...) const {
    refuse_load<T>();
  }

private:
  template <class, int, class...> friend class StoreRing;
  template <int, class...> friend class InPlacePipeline;
  TMA_DEVICE StageStores(detail::StoredTiles<Stages, Tiles...>& tiles, int stage)
      : detail::StageCopies<Stages, Tiles...>(tiles, stage) {}

  template <class How, class Descriptor, class At>
  static TMA_DEVICE detail::BoxOfStage<How, Descriptor, At> box(const Descriptor& descriptor, const At& at) {
    return {descriptor, at};
  }

  template <class T> static TMA_HOST_DEVICE constexpr void refuse_load() {
    static_assert(detail::always_false<T>,
                  "tma: these are the stores of a stage, which threads have written. What is to be loaded, changed and "
                  "stored again goes through a tma::InPlacePipeline; what is only read, through a tma::Pipeline");
  }
  template <Reduction Op> static TMA_HOST_DEVICE constexpr bool can_reduce() {
    static_assert(detail::is_complete_v<detail::IssueReduction<Op>>,
                  "tma: reductions are in a header of their own: #include <tma/device/reduce.hpp>");
    return detail::is_complete_v<detail::IssueReduction<Op>>;
  }
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
