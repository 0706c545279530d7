#pragma once

#include "../core/prologue.hpp"

#include "../device/group_arrival.hpp"
#include "in_place_loads.hpp"
#include "ring_position.hpp"
#include "stage_stores.hpp"

namespace tma::inline TMA_ABI {

template <class PipelineT> class InPlaceMover;
template <class PipelineT, int Warps, int NamedBarrier> class InPlaceWorker;

namespace detail {
struct InPlaceAccess;
}

/// A ring of `Stages` stages of `Tiles`, each loaded by the copy engine, changed where it lies by the threads, stored by the
/// engine from there, and loaded again when that store has read it.
///
///     using Pipe = tma::InPlacePipeline<4, Tile>;
///     Pipe pipe(tma::shared<Pipe::Shared>());
///     pipe.for_each(tiles, [&](auto load, int i) { load(in, at(i)); },                                   // one thread
///                          [&](Tile& tile, int i) { for (auto& x : block.elements(tile)) x *= 2; },      // all threads
///                          [&](auto store, int i) { store(out, at(i)); });                               // that thread
///
/// No stage is copied, so that half the shared memory serves a load and a store pipeline. A step's stage is loaded again one
/// step after its store was issued (with one stage, at once), so that the store has had time to read it; `Stages - 2` loads are
/// then in flight while a step is computed. Input and output may be the same memory, where each step stores what it has
/// loaded: loads of later steps are not ordered with stores of earlier ones.
///
/// Other stores of the issuing thread only make those of this ring older: its waits then take in more than they have to.
/// The threads need not all change a tile, nor one at all; a step may store some of its tiles, or nothing. For a warp that
/// issues beside warps that compute see `tma::transform` (in_place_roles.hpp).
template <int Stages, class... Tiles> class InPlacePipeline {
  using a_pipeline_has_its_phases_once__pass_it_by_reference = InPlacePipeline;  // what the compiler prints of a copy

public:
  static_assert(Stages >= 1, "tma::InPlacePipeline: at least one stage");
  static_assert(detail::check_stored_tiles<Tiles...>());

  static constexpr int stages = Stages;

  /// What the pipeline keeps in shared memory.
  class Shared {
    using a_ring_is_a_place_in_shared_memory__take_it_by_reference = Shared;

  public:
    Shared()                                                                           = default;
    Shared(const a_ring_is_a_place_in_shared_memory__take_it_by_reference&)            = delete;
    Shared& operator=(const a_ring_is_a_place_in_shared_memory__take_it_by_reference&) = delete;

    using in_place_pipeline = InPlacePipeline;

  private:
    friend class InPlacePipeline;
    detail::StoredTiles<Stages, Tiles...> tiles_;
    LoadBarrier                           full_[Stages];
    Mbarrier<1>                           done_[Stages];  // initialised with one arrival for each working warp
  };

  /// All threads of the block, once: every thread works, one issues. Initialises the barriers and lets the block meet.
  /// `name` is what checks call the pipeline.
  TMA_DEVICE explicit InPlacePipeline(Shared& shared, const char* name = nullptr)
      : InPlacePipeline(shared, name, ptx::thread_rank(), (ptx::block_threads() + 31) / 32) {
    issues_ = ptx::elect_sync() & (rank_ < 32);
  }
  InPlacePipeline(const a_pipeline_has_its_phases_once__pass_it_by_reference&)            = delete;
  InPlacePipeline& operator=(const a_pipeline_has_its_phases_once__pass_it_by_reference&) = delete;

  /// The issuing thread waits until the engine has read the stages: a block does not leave with a store that reads its memory.
  TMA_DEVICE ~InPlacePipeline() {
    if (issues_) ptx::bulk_wait_group_read<0>();
  }

  /// All threads of the block. For i = 0 ... n-1: `load(loads, i)` in one elected thread, up to `Stages` steps ahead;
  /// `change(tile..., i)` in all threads, once they are there; `store(stores, i)` in the elected thread, once all have changed
  /// them. Any number of loops, one after another.
  ///
  /// `n` is any number up to 2^31 - 1 - Stages; 0 and less do nothing. The warps are not in lockstep: `change` meets the block
  /// itself if its warps exchange data. Stores are complete at the end of scope as far as their sources go, and visible to
  /// others after `wait_visible`, or the end of the kernel.
  template <class Load, class Change, class Store>
  TMA_DEVICE void for_each(int n, Load&& load, Change&& change, Store&& store) {
    if (issues_) fill_first(position_, n, load);
    for (int i = 0; i < n; ++i) {
      const Position here = position_;
      take(change, i);
      if (issues_) hand_on(here, i, n, load, store);
    }
  }

  /// Until all stores are written and visible to the issuing thread, which is the block's `elect()`; returns at once in the
  /// others.
  TMA_DEVICE void wait_visible() {
    if (issues_) ptx::bulk_wait_group<0>();
  }

private:
  template <class> friend class InPlaceMover;
  template <class, int, int> friend class InPlaceWorker;
  friend struct detail::InPlaceAccess;
  using Position = detail::RingPosition<Stages>;

  // How many steps a stage is given to be read by its store before it is loaded again.
  static constexpr int lag = Stages > 1 ? 1 : 0;

  // All threads of the block. `working_warps` warps will change each stage.
  TMA_DEVICE InPlacePipeline(Shared& shared, const char* name, detail::u32 rank, detail::u32 working_warps)
      : shared_(shared),
        rank_(rank) {
    if (rank == 0) {
      for (int s = 0; s < Stages; ++s) {
        ptx::describe(&shared_.full_[s], sizeof(shared_.full_[s]), "full[%d]", s, 0, name);
        ptx::describe(&shared_.done_[s], sizeof(shared_.done_[s]), "done[%d]", s, 0, name);
        describe(s, name, detail::make_indices<int(sizeof...(Tiles))>());
        detail::BarrierAccess::init(shared_.full_[s]);
        detail::BarrierAccess::init(shared_.done_[s], working_warps * detail::GroupArrival::parts);
      }
      ptx::fence_mbarrier_init();
    }
    ptx::sync_block();
  }

  template <int... I> TMA_DEVICE void describe(int stage, const char* name, detail::Indices<I...>) {
    (ptx::describe(&shared_.tiles_.template get<I>(stage), sizeof(Tiles), "tile %d of stage %d", I, stage, name), ...);
  }

  template <class Load> TMA_DEVICE void fill(int stage, int i, Load& load) {
    LoadBatch<>                    batch(detail::IssuerAccess::make(true), shared_.full_[stage]);
    InPlaceLoads<Stages, Tiles...> loads(batch, shared_.tiles_, stage);
    load(loads, i);
  }

  // The issuing thread: the stages ahead of the first step. An earlier loop has stored from them.
  template <class Load> TMA_DEVICE void fill_first(Position ahead, int n, Load& load) {
    ptx::bulk_wait_group_read<0>();
    for (int i = 0; i < n && i < Stages; ++i) {
      fill(ahead.stage, i, load);
      ahead.advance();
    }
  }

  // The issuing thread, at step i: stores what the working warps have changed, and refills the stage of `lag` steps before.
  // Each thread that touched the stage has fenced before its warp arrived, which covers both of the engine's accesses.
  template <class Load, class Store> TMA_DEVICE void hand_on(Position here, int i, int n, Load& load, Store& store) {
    detail::BarrierAccess::wait(shared_.done_[here.stage], here.parity);
    StageStores<Stages, Tiles...> stores(shared_.tiles_, here.stage);
    store(stores, i);
    ptx::bulk_commit_group();  // of a step without stores as well: the wait below counts steps
    if (i >= lag && i - lag + Stages < n) {
      ptx::bulk_wait_group_read<lag>();
      fill(lag == 0 ? here.stage : here.stage == 0 ? Stages - 1 : here.stage - 1, i - lag + Stages, load);
    }
  }

  // A working warp: waits until the stage is full, changes it, and says so.
  template <class Change, class... Step> TMA_DEVICE void take(Change& change, const Step&... step) {
    detail::BarrierAccess::wait(shared_.full_[position_.stage], position_.parity);
    call(change, detail::make_indices<int(sizeof...(Tiles))>(), step...);
    ptx::fence_proxy_async_shared();
    ptx::sync_warp();
    detail::GroupArrival::arrive(detail::BarrierAccess::address(shared_.done_[position_.stage]), rank_ % 32,
                                 detail::warp_lanes(rank_, ptx::block_threads()));
    position_.advance();
  }

  template <class Change, int... I, class... Step>
  TMA_DEVICE void call(Change& change, detail::Indices<I...>, const Step&... step) {
    constexpr bool takes_them = detail::is_callable<Change, Tiles&..., const Step&...>(0);
    static_assert(takes_them,
                  "tma::InPlacePipeline: the function that changes the stage takes its tiles, each by reference, "
                  "and the step in for_each: [&](Tile& tile, int i)");
    if constexpr (takes_them) change(shared_.tiles_.template get<I>(position_.stage)..., step...);
  }

  Shared&     shared_;
  detail::u32 rank_;
  bool        issues_ = false;
  Position    position_;
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
