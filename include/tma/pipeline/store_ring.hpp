#pragma once

#include "../core/prologue.hpp"

#include "store_stages.hpp"
#include "writable_stage.hpp"

namespace tma::inline TMA_ABI {

/// A ring of stages that a group of threads writes one after another while the copy engine stores the ones before.
///
///     using Out = tma::StoreStages<2, Tile>;
///     tma::StoreRing out(tma::shared<Out>(), block);   // or a consumer, or any other ThreadGroup
///     for (int i = 0; i < n; ++i)
///       out.next([&](Tile& tile) { for (auto& x : block.elements(tile)) x = ...; },  // all threads of the group
///                [&](auto store) { store(to, at(i)); });                             // one of them
///
/// Each thread of the group has its own, made by all of them together; it lives as long as the group object. There is no
/// barrier in shared memory: with two or more stages the group meets once a step, which publishes the stage that was written
/// and at the same time tells everyone that the next one is free. With one stage it meets twice.
///
/// How many stores may be in flight when a stage is written again follows from the number of stages. Bulk groups are counted
/// by thread (PTX: cp.async.bulk.wait_group), and a wait lets the newest so and so many be: stores that the issuing thread
/// commits elsewhere (another ring, a StoreGroup) only make those of this ring older, so that its waits take in more than they
/// have to, never less. Stores are not ordered with one another; those of different steps that write the same place race.
///
/// The meeting puts the group's warps in step, also inside a pipeline's `for_each` or a consumer's `next`; there, release what
/// was loaded as soon as it is in registers.
///
/// The end of its scope waits until the engine has read the stages, in the issuing thread: a block does not leave with a store
/// that reads its shared memory. Others may write that memory, for something else, after they have met that thread.
template <class Group, int Stages, class... Tiles> class StoreRing {
  // What the compiler prints of a copy, and of one whose group is a temporary.
  using a_store_ring_has_its_stage_once__pass_it_by_reference                     = StoreRing;
  using a_store_ring_refers_to_its_group__which_is_a_variable_and_not_a_temporary = Group;

public:
  static_assert(
      requires(const Group& group) {
        group.elect();
        group.sync();
        group.rank();
      }, "tma::StoreRing: the second argument is the group that writes: a tma::Block, a pipeline's consumer, or "
         "another tma::ThreadGroup");

  static constexpr int stages = Stages;

  /// What the function that stores is handed.
  using Stores = StageStores<Stages, Tiles...>;

  /// All threads of `group`, which the ring refers to: it must live as long. Nobody waits. `name` is what checks call the
  /// ring.
  TMA_DEVICE StoreRing(StoreStages<Stages, Tiles...>& place, const Group& group, [[maybe_unused]] const char* name = nullptr)
      : tiles_(place.tiles_),
        group_(group),
        issues_(bool(group.elect())) {
    if (group.rank() == 0)
      for (int s = 0; s < Stages; ++s) describe(s, name, detail::make_indices<int(sizeof...(Tiles))>());
  }
  StoreRing(StoreStages<Stages, Tiles...>&,
            const a_store_ring_refers_to_its_group__which_is_a_variable_and_not_a_temporary&&,
            const char* = nullptr)                                                   = delete;
  StoreRing(const a_store_ring_has_its_stage_once__pass_it_by_reference&)            = delete;
  StoreRing& operator=(const a_store_ring_has_its_stage_once__pass_it_by_reference&) = delete;
  TMA_DEVICE ~StoreRing() {
    if (issues_) ptx::bulk_wait_group_read<0>();
  }

  /// All threads of the group. Calls `write(tile...)` in each of them, with the tiles of the next stage, which are free;
  /// publishes what they wrote; and calls `store(stores)`, with a StageStores, in one thread, the same one every time, the
  /// group's `elect()`. A store that is left out is fine. The engine has what is written by then; what a thread writes
  /// to the tiles later it does not, and races with it.
  template <class Write, class Store> TMA_DEVICE void next(Write&& write, Store&& store) {
    begin();
    call(write, detail::make_indices<int(sizeof...(Tiles))>());
    finish(store);
  }

  /// All threads of the group. The same with the stage as an object, for code that no function encloses well.
  [[nodiscard]] TMA_DEVICE WritableStage<StoreRing> acquire() {
    begin();
    return WritableStage<StoreRing>(*this);
  }

  /// Until the stores of all but the `Newer` newest steps are written and visible to the issuing thread, which is the group's
  /// `elect()`; returns at once in the others. Who tells other blocks that they are there lets that thread do so after this, by
  /// a release. The threads of the group see them after they have met.
  template <int Newer = 0> TMA_DEVICE void wait_visible() {
    if (issues_) ptx::bulk_wait_group<Newer>();
  }

private:
  template <class> friend class WritableStage;

  // The stage is free when this returns. With several stages it is free already: the last meeting said so.
  TMA_DEVICE void begin() {
    if constexpr (Stages == 1) {
      if (issues_) ptx::bulk_wait_group_read<0>();
      group_.sync();
    }
  }

  template <class Store> TMA_DEVICE void finish(Store& store) {
    ptx::fence_proxy_async_shared();
    // The next stage was stored from Stages - 1 steps ago, and Stages - 2 groups are newer than that.
    if constexpr (Stages > 1)
      if (issues_) ptx::bulk_wait_group_read<Stages - 2>();
    group_.sync();
    if (issues_) {
      Stores stores(tiles_, stage_);
      store(stores);
      ptx::bulk_commit_group();  // of a step without stores as well: the waits count steps
    }
    if constexpr (Stages > 1)
      if (++stage_ == Stages) stage_ = 0;
  }

  template <int I> TMA_DEVICE auto& tile() const { return tiles_.template get<I>(stage_); }

  template <class Write, int... I> TMA_DEVICE void call(Write& write, detail::Indices<I...>) {
    constexpr bool takes_them = detail::is_callable<Write, Tiles&...>(0);
    static_assert(
        takes_them,
        "tma::StoreRing: the first function writes the stage and takes its tiles, each by reference: [&](Tile& tile)");
    if constexpr (takes_them) write(tile<I>()...);
  }

  template <int... I> TMA_DEVICE void describe(int stage, const char* name, detail::Indices<I...>) {
    (ptx::describe(&tiles_.template get<I>(stage), sizeof(Tiles),
                   detail::is_tile_v<Tiles> ? "tile %d of store stage %d" : "buffer %d of store stage %d", I, stage, name),
     ...);
  }

  detail::StoredTiles<Stages, Tiles...>& tiles_;
  const Group&                           group_;
  bool                                   issues_;
  int                                    stage_ = 0;
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
