#pragma once

#include "../core/prologue.hpp"

#include "ring_scope.hpp"
#if TMA_HAS_DEVICE
#  include "../device/block.hpp"
#  include "../device/ring_notes.hpp"
#  include "../device/step_count.hpp"
#  include "filling_stage.hpp"
#  include "held_stage.hpp"
#  include "ring_position.hpp"
#else  // for host compilers: what a pipeline keeps in shared memory, and no more
#  include "../core/loads.hpp"
#  include "../device/load_barrier.hpp"
#  include "../device/mbarrier.hpp"
#  include "stage_parts.hpp"
#endif

namespace tma::inline TMA_ABI {

template <int Stages, class... Parts> class Pipeline;

namespace detail {

struct PipelineAccess;

template <int Stages, class... P> struct RingTraits {
  using list                       = typename PartsOf<detail::Parts<>, P...>::type;
  using objects                    = typename ObjectsOf<Stages, list>::type;
  static constexpr bool by_threads = (is_same_v<P, ThreadLoads> || ...);
  static constexpr bool tiles      = list::template count_of_kind<PartKind::engine>() > 0;
  static constexpr bool engine     = tiles && !by_threads;
  static constexpr bool threads    = list::template count_of_kind<PartKind::threads>() > 0 || (tiles && by_threads);
#if TMA_HAS_DEVICE
  using batch = conditional_t<engine, LoadBatch<>, NoBatch>;
#endif
  static constexpr bool matrix_reads = (is_same_v<P, MatrixReads> || ...);
  using sharing                      = typename SharingOf<typename PartOf<P>::sharing...>::type;
  using reach                        = RingScope<sharing>;
};

}  // namespace detail

/// A ring of `Stages` stages, filled ahead of the threads that use them. A stage has `Parts`: tiles and buffers, which the
/// copy engine loads; what threads write beside them (`ByThreads`), a value (`Meta`), tiles that blocks of a cluster load for
/// one another (cluster_parts.hpp). With `tma::ThreadLoads` among them the tiles are loaded by threads.
///
///     using Pipe = tma::Pipeline<4, Tile>;
///     Pipe pipe(tma::shared<Pipe::Shared>());
///     pipe.for_each(tiles, [&](auto load, int i) { load(in, at(i)); },
///                          [&](const Tile& tile, int i) { ... });
///
/// The pipeline owns its barriers and its phases, which go on over any number of loops. For a producer warp beside
/// consumer warps see `tma::specialize`. Where parts are shared by blocks of a cluster the end of its scope meets the
/// cluster: no block leaves while others may still write to it.
template <int Stages, class... Parts> class Pipeline {
  using a_pipeline_has_its_phases_once__pass_it_by_reference = Pipeline;  // what the compiler prints of a copy

public:
  using traits = detail::RingTraits<Stages, Parts...>;

  static_assert(Stages >= 1, "tma::Pipeline: at least one stage");
  static_assert(traits::list::count >= 1, "tma::Pipeline: a stage has at least one tile");
  static_assert(((detail::PartOf<Parts>::kind != detail::PartKind::refused) && ...),
                "tma::Pipeline: a stage holds tma::Tile and tma::Buffer objects, which the copy engine fills. What threads "
                "write is a tma::ByThreads<X>, a value is a tma::Meta<T>");

  static_assert(!(traits::by_threads && (detail::is_same_v<Parts, EngineLoads> || ...)),
                "tma::Pipeline: either the copy engine loads a pipeline's tiles or threads do: name one of tma::EngineLoads "
                "and tma::ThreadLoads, or neither, which is the engine");
  static_assert(!traits::by_threads || detail::is_same_v<typename traits::sharing, void>,
                "tma::Pipeline: tiles that blocks of a cluster share are multicast, which only the copy engine does: with "
                "tma::ThreadLoads each block loads all of its tiles");

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
    typename traits::objects objects_;
    LoadBarrier              full_[Stages];   // the arrivals of who fills a stage, and the engine's bytes
    Mbarrier<1>              empty_[Stages];  // those of the warps, or groups, that use it
  };

#if TMA_HAS_DEVICE
  /// All threads of the block, once: every thread consumes, one issues (all load, where threads do). Initialises the
  /// barriers and lets the block meet. `name` is what checks call the pipeline.
  TMA_DEVICE explicit Pipeline(Shared& shared, const char* name = nullptr)
      : Pipeline(shared, name, ptx::thread_rank(), warps(),
                 traits::threads ? warps() * detail::GroupArrival::parts + traits::engine : 1) {
    leads_ = ptx::elect_sync() & (rank_ < 32);
    // By a shuffle, so that what `free` asks of it is no divergent branch.
    if constexpr (traits::reach::blocks > 1)
      if (ptx::block_threads() % 32 != 0) lanes_ = detail::warp_lanes(ptx::uniform(rank_ / 32) * 32, ptx::block_threads());
  }

  Pipeline(const a_pipeline_has_its_phases_once__pass_it_by_reference&)            = delete;
  Pipeline& operator=(const a_pipeline_has_its_phases_once__pass_it_by_reference&) = delete;

  TMA_DEVICE ~Pipeline() {
    traits::reach::part();
    ptx::leave_ring(&shared_.full_[0], &shared_.empty_[0], Stages);
  }

  /// All threads of the block. Runs `consume(part..., i)` for i = 0 ... n-1 by all threads, with the tiles that
  /// `issue(load, i)` asked for, by one elected thread and up to `Stages` steps ahead (by all threads, where threads load or
  /// write).
  ///
  /// `n` is any number up to 2^31 - 1 - Stages; 0 and less do nothing. Of a count of 64 bits the steps are `long long`, up to
  /// 2^63 - 1 - Stages. A tile is valid until `consume` returns, or releases it: a function `consume(part..., i, stage)` may
  /// call `stage.release()` once it has read what it needs. The steps of different warps are not in lockstep: `consume` meets
  /// the block itself if its warps exchange data.
  template <class Count, class Issue, class Consume> TMA_DEVICE void for_each(Count n, Issue&& issue, Consume&& consume) {
    if constexpr (detail::check_count<Count>()) {
      using Step = detail::step_t<Count>;
      static_assert(detail::check_step<Step, void*, Issue, const Loads&>());
      for_steps<Step>(detail::step_count(n), issue, consume);
    }
  }

private:
  template <class Step, class Issue, class Consume> TMA_DEVICE void for_steps(Step n, Issue& issue, Consume& consume) {
    if (traits::threads || leads_) {
      auto ahead = position_;
      for (Step i = 0; i < n && i < Stages; ++i) {
        fill(ahead, filler(), [&](const Loads& load) { issue(load, i); });
        ahead.advance();
      }
    }
    for (Step i = 0; i < n; ++i) {
      const auto here   = position_;
      const auto refill = [&] {
        // The same stage, one round later.
        if ((traits::threads || leads_) && i + Stages < n)
          fill({here.parity ^ 1, here.stage}, filler(), [&](const Loads& load) { issue(load, i + Stages); });
      };
      take(refill, consume, i);
    }
  }

  template <class, class> friend class Producer;
  template <class, class> friend class Consumer;
  template <class, class> friend class HeldStage;
  friend struct detail::PipelineAccess;

  static TMA_DEVICE detail::u32 warps() { return (ptx::block_threads() + 31) / 32; }

  // All threads of the block. `uses` arrivals of this block's free a stage, `fills` arrivals fill it.
  TMA_DEVICE Pipeline(Shared& shared, const char* name, detail::u32 rank, detail::u32 uses, detail::u32 fills)
      : shared_(shared),
        rank_(rank) {
    if (rank == 0) {
      for (int s = 0; s < Stages; ++s) {
        ptx::describe(&shared_.full_[s], sizeof(shared_.full_[s]), "full[%d]", s, Stages, name);
        ptx::describe(&shared_.empty_[s], sizeof(shared_.empty_[s]), "empty[%d]", s, Stages, name);
        describe(s, name, detail::make_indices<traits::list::count>());
        detail::BarrierAccess::init(shared_.full_[s], fills);
        detail::BarrierAccess::init(shared_.empty_[s], uses * traits::reach::blocks * detail::GroupArrival::parts);
      }
      ptx::fence_mbarrier_init();
#  if defined(TMA_DETAIL_WATCHED)
      detail::notes::enter_ring(detail::BarrierAccess::address(shared_.full_[0]));
#  endif
    }
    traits::reach::meet();
  }

  template <int... I> TMA_DEVICE void describe(int stage, const char* name, detail::Indices<I...>) {
    (ptx::describe(&shared_.objects_.template get<I>(stage), sizeof(typename traits::list::template part<I>::object),
                   detail::part_name<typename traits::list::template part<I>>(), I, stage, name),
     ...);
  }

  // Who fills a stage in `for_each`, and what is handed to the function that does.
  using Filler = detail::conditional_t<traits::threads, detail::ManyThreads, detail::OneThread>;
  using Loads  = StageLoads<Pipeline, Filler>;
  TMA_DEVICE Filler filler() const {
    if constexpr (traits::threads) return {leads_, rank_, ptx::block_threads()};
    else return {};
  }

  template <int I> TMA_DEVICE const auto& part(int stage) const { return shared_.objects_.template get<I>(stage); }

  // Those who fill: until the stage is free.
  template <class FillerT> TMA_DEVICE void wait_free(detail::RingPosition<Stages> at, const FillerT& filler) {
    if (!FillerT::group || traits::threads || filler.leads) {
      // A fresh barrier counts as one whose phase of the other parity has completed: the first round does not wait.
      traits::reach::wait(shared_.empty_[at.stage], at.parity ^ 1);
      // The consumers have read the stage as threads do; the copy will write it as the engine does. One fence between the
      // two, in the thread that has seen the arrivals of the one and issues the other, orders them.
      if constexpr (traits::engine && !traits::matrix_reads)
        if (filler.leads) traits::reach::fence_refill();
    }
  }
  template <class FillerT> TMA_DEVICE auto acquire(detail::RingPosition<Stages> at, const FillerT& filler) {
    wait_free(at, filler);
    return FillingStage<Pipeline, FillerT>(shared_.objects_, shared_.full_[at.stage], at.stage, filler);
  }
  template <class FillerT, class Issue>
  TMA_DEVICE void fill(detail::RingPosition<Stages> at, const FillerT& filler, Issue&& issue) {
    wait_free(at, filler);
    auto&                               full = shared_.full_[at.stage];
    typename traits::batch              batch(detail::IssuerAccess::make(filler.leads), full);
    const StageLoads<Pipeline, FillerT> loads(batch, shared_.objects_, detail::BarrierAccess::address(full), at.stage,
                                              filler);
    issue(loads);
    detail::close_stage<traits>(batch, detail::BarrierAccess::address(full), filler);
  }

  // A consuming warp: until the stage is full.
  TMA_DEVICE void wait_full() {
    traits::reach::wait(shared_.full_[position_.stage], position_.parity);
    // Bytes that `cp.async` brought are handed to the engine as those that it has brought itself.
    if constexpr (traits::by_threads) ptx::fence_proxy_async_shared();
  }
  // A consuming warp: a step. Waits for the stage, uses it, and frees it. `use` takes the parts, what is in `more`, and the
  // held stage if it wants it.
  template <class Refill, class Use, class... More> TMA_DEVICE void take(Refill refill, Use& use, const More&... more) {
    wait_full();
    {
      HeldStage<Pipeline, Refill> held(*this, position_.stage, true, refill);
      use_parts(use, held, detail::make_indices<traits::list::count>(), more...);
    }
    position_.advance();
  }
  // All threads of a warp: it uses the stage no more. Any warp of the block, which may be its last and have fewer lanes.
  TMA_DEVICE void free(int stage) {
    if constexpr (traits::reach::blocks > 1) free(stage, lanes_);
    else free(stage, detail::warp_lanes(rank_, ptx::block_threads()));
  }
  TMA_DEVICE void free(int stage, detail::u32 lanes) {
    traits::reach::free(detail::BarrierAccess::address(shared_.empty_[stage]), rank_ % 32, lanes);
  }
  // All threads of a group that has ranks and meets.
  template <class Meet> TMA_DEVICE void free_together(int stage, detail::u32 rank, detail::u32 threads, Meet meet) {
    traits::reach::free_together(detail::BarrierAccess::address(shared_.empty_[stage]), rank, threads, meet);
  }
  // Frees this round's use of a stage, and all that follow. By who arrives for it: the others would wait for a phase that
  // this arrival lets go.
  TMA_DEVICE void drop(detail::RingPosition<Stages> at) {
    if constexpr (detail::has_forms_for<Shared>()) {
      // In the phase of this round, which begins when all have freed the one before.
      detail::BarrierAccess::wait(shared_.empty_[at.stage], at.parity ^ 1);
      detail::forms_for<Shared>::arrive_drop(detail::BarrierAccess::address(shared_.empty_[at.stage]),
                                             detail::GroupArrival::parts, detail::GroupArrival::parts);
    }
  }

  TMA_DEVICE bool is_ready() const {
    return traits::reach::is_complete(detail::BarrierAccess::address(shared_.full_[position_.stage]), position_.parity);
  }
  TMA_DEVICE bool is_free() const {
    return traits::reach::is_complete(detail::BarrierAccess::address(shared_.empty_[position_.stage]), position_.parity ^ 1);
  }

  template <class Use, class Held, int... I, class... More>
  TMA_DEVICE void use_parts(Use& use, Held& held, detail::Indices<I...>, const More&... more) {
    static_assert((detail::check_step<More, Held&, Use, decltype(part<I>(0))...>() && ... && true));
    call(use, held, part<I>(position_.stage)..., more...);
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
  bool                         leads_ = false;
  detail::u32                  lanes_ = 32;  // of this thread's warp, where blocks of a cluster share parts
  detail::RingPosition<Stages> position_;
#endif
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
