#pragma once

#include "../device/block.hpp"

namespace tma {

template <int Stages, class... Tiles> class Pipeline;

namespace detail {

struct PipelineAccess;

// The tiles of all stages: an array a tile, so that each keeps its own alignment and stride.
template <int Stages, class... Tiles> struct StageTiles;
template <int Stages, class Last> struct StageTiles<Stages, Last> {
  Last head[Stages];

  template <int I> TMA_DEVICE auto& get(int stage) { return head[stage]; }
};
template <int Stages, class Head, class... Tail> struct StageTiles<Stages, Head, Tail...> {
  Head                        head[Stages];
  StageTiles<Stages, Tail...> tail;

  template <int I> TMA_DEVICE auto& get(int stage) {
    if constexpr (I == 0) return head[stage];
    else return tail.template get<I - 1>(stage);
  }
};

// Where a thread is in the ring: a stage, and how many times round, modulo 2.
template <int Stages> struct RingPosition {
  u32 parity = 0;
  int stage  = 0;

  TMA_DEVICE void advance() {
    if constexpr (Stages == 1) {
      parity ^= 1;
    } else {
      ++stage;
      if (stage == Stages) {
        stage = 0;
        parity ^= 1;
      }
    }
  }
};

}  // namespace detail

/// Names a tile of a stage by position, where its type does not: `load(a, at, tma::slot<0>)`.
template <int I> struct Slot {};
template <int I> inline constexpr Slot<I> slot{};

/// The stage a producer fills: handed to the function that issues its loads, by one elected thread.
///
/// Each tile of the stage is loaded at most once. The barrier is told what was issued, so that a load may be left out;
/// the consumers then find the tile as it was.
template <class PipelineT> class StageLoads;
template <int Stages, class... Tiles> class StageLoads<Pipeline<Stages, Tiles...>> {
  using the_loads_of_one_step_are_not_those_of_another = StageLoads;  // what the compiler prints of an assignment

  static constexpr int by_type = -1;

public:
  StageLoads(const StageLoads&)                                                           = default;
  TMA_DEVICE StageLoads& operator=(const the_loads_of_one_step_are_not_those_of_another&) = delete;

  /// Loads the tile of `descriptor` at `at` into the stage's tile of the descriptor's type, or into the one named by a
  /// slot. Also written `load(descriptor, at)` where the argument is called `load`. `modifiers`: those of `Issuer::load`.
  template <class T, int Rank, class Box, class... Modifiers>
  TMA_DEVICE void load(const TmaDescriptor<const T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                       const Modifiers&... modifiers) const {
    load(descriptor, at, Slot<by_type>(), modifiers...);
  }
  template <class T, int Rank, class Box, int I, class... Modifiers>
  TMA_DEVICE void load(const TmaDescriptor<const T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at, Slot<I>,
                       const Modifiers&... modifiers) const {
    batch_->load(descriptor, at, tiles_->template get<position<detail::box_tile_t<Box>, I>()>(stage_), modifiers...);
  }
  template <class T, int Rank, class Box, class... Modifiers>
  TMA_DEVICE void operator()(const TmaDescriptor<const T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                             const Modifiers&... modifiers) const {
    load(descriptor, at, modifiers...);
  }
  template <class T, int Rank, class Box, int I, class... Modifiers>
  TMA_DEVICE void operator()(const TmaDescriptor<const T, Rank, Box>& descriptor, const detail::place_t<Box, Rank>& at,
                             Slot<I> where, const Modifiers&... modifiers) const {
    load(descriptor, at, where, modifiers...);
  }

  /// Loads `Count` elements into the stage's buffer of that size, or into the tile or buffer named by a slot.
  template <class T, int Count, class... Modifiers>
  TMA_DEVICE void load(const AlignedChunk<T, Count>& source, const Modifiers&... modifiers) const {
    load(source, Slot<by_type>(), modifiers...);
  }
  template <class T, int Count, int I, class... Modifiers>
  TMA_DEVICE void load(const AlignedChunk<T, Count>& source, Slot<I>, const Modifiers&... modifiers) const {
    batch_->load(source, tiles_->template get<position<Buffer<detail::remove_cv_t<T>, Count>, I>()>(stage_), modifiers...);
  }
  template <class T, int Count, class... Modifiers>
  TMA_DEVICE void operator()(const AlignedChunk<T, Count>& source, const Modifiers&... modifiers) const {
    load(source, modifiers...);
  }
  template <class T, int Count, int I, class... Modifiers>
  TMA_DEVICE void operator()(const AlignedChunk<T, Count>& source, Slot<I> where, const Modifiers&... modifiers) const {
    load(source, where, modifiers...);
  }

private:
  friend class Pipeline<Stages, Tiles...>;
  TMA_DEVICE StageLoads(LoadBatch& batch, detail::StageTiles<Stages, Tiles...>& tiles, int stage)
      : batch_(&batch),
        tiles_(&tiles),
        stage_(stage) {}

  template <class TileT, int I> static TMA_HOST_DEVICE constexpr int position() {
    if constexpr (I != by_type) {
      static_assert(I >= 0 && I < int(sizeof...(Tiles)), "tma::Pipeline: the stage has no tile at this slot");
      return I;
    } else {
      static_assert(detail::count_of<TileT, Tiles...> > 0,
                    "tma::Pipeline: no tile of this pipeline has the type of this load. Name the descriptor's tile (or a "
                    "tma::Buffer of the chunk's size) among the pipeline's tiles");
      static_assert(detail::count_of<TileT, Tiles...> < 2,
                    "tma::Pipeline: several tiles of this pipeline have this type; say which: load(descriptor, at, "
                    "tma::slot<0>)");
      return detail::count_of<TileT, Tiles...> == 1 ? detail::index_of<TileT, Tiles...>() : 0;
    }
  }

  LoadBatch*                            batch_;
  detail::StageTiles<Stages, Tiles...>* tiles_;
  int                                   stage_;
};

/// A stage that a warp is using. Handed as the last argument, `auto& stage`, to a function that takes it; the stage is
/// freed when that function returns, or earlier, by `release`.
template <class Refill> class HeldStage {
  using a_stage_is_freed_once__take_it_by_reference = HeldStage;  // what the compiler prints of a copy

public:
  HeldStage(const a_stage_is_freed_once__take_it_by_reference&)            = delete;
  HeldStage& operator=(const a_stage_is_freed_once__take_it_by_reference&) = delete;

  /// All threads of the warp, together. This warp reads the stage's tiles no more: once every warp has said so the next
  /// load overwrites them. A kernel that has its values in registers releases before it computes and writes, and the next
  /// load is under way by then.
  TMA_DEVICE void release() {
    if (held_) {
      ptx::sync_warp();
      if (first_lane_) empty_.arrive();
      refill_();
    }
    held_ = false;
  }

private:
  template <int, class...> friend class Pipeline;
  TMA_DEVICE HeldStage(Mbarrier<1>& empty, bool first_lane, Refill refill)
      : empty_(empty),
        first_lane_(first_lane),
        refill_(refill) {}
  TMA_DEVICE ~HeldStage() { release(); }

  Mbarrier<1>& empty_;
  bool         first_lane_;
  bool         held_ = true;  // known when compiling
  Refill       refill_;       // what this thread has to do for the stage once it is free
};

/// A ring of `Stages` stages of `Tiles`, filled by the copy engine ahead of the threads that use them.
///
///     using Pipe = tma::Pipeline<4, Tile>;
///     Pipe pipe(tma::shared<Pipe::Shared>());
///     pipe.for_each(tiles, [&](auto load, int i) { load(in, at(i)); },
///                          [&](const Tile& tile, int i) { ... });
///
/// The pipeline owns its barriers and its phases, which go on over any number of loops. For a producer warp beside
/// consumer warps see `tma::specialize`.
template <int Stages, class... Tiles> class Pipeline {
  using a_pipeline_has_its_phases_once__pass_it_by_reference = Pipeline;  // what the compiler prints of a copy

public:
  static_assert(Stages >= 1, "tma::Pipeline: at least one stage");
  static_assert(sizeof...(Tiles) >= 1, "tma::Pipeline: a stage has at least one tile");
  static_assert(((detail::is_tile_v<Tiles> || detail::is_buffer_v<Tiles>) && ...),
                "tma::Pipeline: a stage holds tma::Tile and tma::Buffer objects, which the copy engine fills");

  static constexpr int stages = Stages;

  /// What the pipeline keeps in shared memory.
  class Shared {
    using a_ring_is_a_place_in_shared_memory__take_it_by_reference = Shared;

  public:
    Shared()                                                                           = default;
    Shared(const a_ring_is_a_place_in_shared_memory__take_it_by_reference&)            = delete;
    Shared& operator=(const a_ring_is_a_place_in_shared_memory__take_it_by_reference&) = delete;

    using pipeline = Pipeline;

  private:
    friend class Pipeline;
    detail::StageTiles<Stages, Tiles...> tiles_;
    LoadBarrier                          full_[Stages];
    Mbarrier<1>                          empty_[Stages];  // initialised with one arrival for each consuming warp
  };

  /// All threads of the block, once: every thread consumes, one issues. Initialises the barriers and lets the block meet.
  TMA_DEVICE explicit Pipeline(Shared& shared) : Pipeline(shared, ptx::thread_rank(), (ptx::block_threads() + 31) / 32) {
    issues_ = ptx::elect_sync() & (rank_ < 32);
  }

  Pipeline(const a_pipeline_has_its_phases_once__pass_it_by_reference&)            = delete;
  Pipeline& operator=(const a_pipeline_has_its_phases_once__pass_it_by_reference&) = delete;

  /// All threads of the block. Runs `consume(tile..., i)` for i = 0 ... n-1 by all threads, with the tiles that
  /// `issue(load, i)` asked for, by one elected thread and up to `Stages` steps ahead.
  ///
  /// `n` is any number up to 2^31 - 1 - Stages; 0 and less do nothing. A tile is valid until `consume` returns, or releases it: a function
  /// `consume(tile..., i, stage)` may call `stage.release()` once it has read what it needs. The steps of different warps
  /// are not in lockstep: `consume` meets the block itself if its warps exchange data.
  template <class Issue, class Consume> TMA_DEVICE void for_each(int n, Issue&& issue, Consume&& consume) {
    if (issues_) {
      auto ahead = position_;
      for (int i = 0; i < n && i < Stages; ++i) {
        fill(ahead, [&](const StageLoads<Pipeline>& load) { issue(load, i); });
        ahead.advance();
      }
    }
    for (int i = 0; i < n; ++i) {
      const auto here   = position_;
      const auto refill = [&] {
        // The same stage, one round later.
        if (issues_ && i + Stages < n)
          fill({here.parity ^ 1, here.stage}, [&](const StageLoads<Pipeline>& load) { issue(load, i + Stages); });
      };
      take(refill, consume, i);
    }
  }

private:
  template <class> friend class Producer;
  template <class, int, int> friend class Consumer;
  friend struct detail::PipelineAccess;

  // All threads of the block. `consuming_warps` warps will use each stage.
  TMA_DEVICE Pipeline(Shared& shared, detail::u32 rank, detail::u32 consuming_warps) : shared_(shared), rank_(rank) {
    if (rank == 0) {
      for (int s = 0; s < Stages; ++s) {
        ptx::describe(&shared_.full_[s], sizeof(shared_.full_[s]), "full[%d]", s);
        ptx::describe(&shared_.empty_[s], sizeof(shared_.empty_[s]), "empty[%d]", s);
        describe(s, detail::make_indices<int(sizeof...(Tiles))>());
        detail::BarrierAccess::init(shared_.full_[s]);
        detail::BarrierAccess::init(shared_.empty_[s], consuming_warps);
      }
      ptx::fence_mbarrier_init();
    }
    ptx::sync_block();
  }

  template <int... I> TMA_DEVICE void describe(int stage, detail::Indices<I...>) {
    (ptx::describe(&shared_.tiles_.template get<I>(stage), sizeof(Tiles), "tile %d of stage %d", I, stage), ...);
  }

  // The issuing thread: waits until the stage is free, then issues its loads.
  template <class Issue> TMA_DEVICE void fill(detail::RingPosition<Stages> at, Issue&& issue) {
    // A fresh barrier counts as one whose phase of the other parity has completed: the first round does not wait.
    detail::BarrierAccess::wait(shared_.empty_[at.stage], at.parity ^ 1);
    // The consumers have read the stage as threads do; the copy will write it as the engine does. One fence between the
    // two, in the thread that has seen the arrivals of the one and issues the other, orders them.
    ptx::fence_proxy_async_shared();
    LoadBatch batch(detail::IssuerAccess::make(true), shared_.full_[at.stage]);
    issue(StageLoads<Pipeline>(batch, shared_.tiles_, at.stage));
  }

  // A consuming warp: waits until the stage is full, uses it, frees it. `use` takes the tiles, what is in `more`, and the
  // held stage if it wants it.
  template <class Refill, class Use, class... More> TMA_DEVICE void take(Refill refill, Use& use, const More&... more) {
    detail::BarrierAccess::wait(shared_.full_[position_.stage], position_.parity);
    {
      HeldStage<Refill> held(shared_.empty_[position_.stage], rank_ % 32 == 0, refill);
      use_tiles(use, held, detail::make_indices<int(sizeof...(Tiles))>(), more...);
    }
    position_.advance();
  }

  template <class Use, class Held, int... I, class... More>
  TMA_DEVICE void use_tiles(Use& use, Held& held, detail::Indices<I...>, const More&... more) {
    call(use, held, static_cast<const Tiles&>(shared_.tiles_.template get<I>(position_.stage))..., more...);
  }

  template <class Use, class Held, class... Arguments>
  static TMA_DEVICE void call(Use& use, Held& held, const Arguments&... arguments) {
    if constexpr (detail::is_callable<Use, const Arguments&..., Held&>(0)) use(arguments..., held);
    else {
      constexpr bool takes_them = detail::is_callable<Use, const Arguments&...>(0);
      static_assert(takes_them,
                    "tma::Pipeline: the consumer takes the stage's tiles, each as a const reference, and the step "
                    "in for_each: [&](const Tile& tile, int i); last, if it wants it, auto& stage");
      if constexpr (takes_them) use(arguments...);
    }
  }

  Shared&                      shared_;
  detail::u32                  rank_;
  bool                         issues_ = false;
  detail::RingPosition<Stages> position_;
};

}  // namespace tma
