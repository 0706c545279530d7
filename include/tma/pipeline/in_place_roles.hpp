#pragma once

#include "../core/prologue.hpp"

#include "../device/device_code.hpp"
#include "in_place.hpp"
#include "roles.hpp"

namespace tma::inline TMA_ABI {

/// One thread of `tma::transform`'s moving warp: it issues all loads and stores.
template <class PipelineT> class InPlaceMover {
  using a_mover_has_its_phases_once__take_it_by_reference = InPlaceMover;  // what the compiler prints of a copy

public:
  InPlaceMover(const a_mover_has_its_phases_once__take_it_by_reference&)            = delete;
  InPlaceMover& operator=(const a_mover_has_its_phases_once__take_it_by_reference&) = delete;
  TMA_DEVICE ~InPlaceMover() { ptx::bulk_wait_group_read<0>(); }

  /// For i = 0 ... n-1: `load(loads, i)`, up to the number of stages ahead, and `store(stores, i)` once the working warps
  /// have taken their step. Any number of loops; the steps of all together are the workers'. `n` as in
  /// `InPlacePipeline::for_each`.
  template <class Count, class Load, class Store> TMA_DEVICE void for_each(Count n, Load&& load, Store&& store) {
    if constexpr (detail::check_count<Count>()) {
      using Step          = detail::step_t<Count>;
      const Step steps    = detail::step_count(n);
      auto&      position = pipeline_.position_;
      pipeline_.fill_first(position, steps, load);
      for (Step i = 0; i < steps; ++i) {
        pipeline_.hand_on(position, i, steps, load, store);
        position.advance();
      }
    }
  }

  /// Until all stores so far are written and visible to this thread; others see them after a release by it.
  TMA_DEVICE void wait_visible() { ptx::bulk_wait_group<0>(); }

private:
  friend struct detail::InPlaceAccess;
  TMA_DEVICE explicit InPlaceMover(PipelineT& pipeline) : pipeline_(pipeline) {}
  PipelineT& pipeline_;
};

/// The working warps of `tma::transform`: a group of threads that all see every stage.
template <class PipelineT, int Warps, int NamedBarrier>
class InPlaceWorker : public ThreadGroup<InPlaceWorker<PipelineT, Warps, NamedBarrier>, Warps * 32> {
  using a_group_is_one_threads_view__pass_it_by_reference = InPlaceWorker;  // what the compiler prints of a copy

public:
  InPlaceWorker(const a_group_is_one_threads_view__pass_it_by_reference&)            = delete;
  InPlaceWorker& operator=(const a_group_is_one_threads_view__pass_it_by_reference&) = delete;

  /// All working threads. Waits until the next stage is loaded, calls `change(tile...)`, and hands the stage on to be stored,
  /// a warp at a time. The warps are not in lockstep: they call `sync()` if they exchange data.
  template <class Change> TMA_DEVICE void next(Change&& change) { pipeline_.take(change); }

  /// All working threads meet; nobody else takes part.
  TMA_DEVICE void sync() const { ptx::sync_threads(NamedBarrier, Warps * 32); }

private:
  friend struct detail::InPlaceAccess;
  TMA_DEVICE InPlaceWorker(PipelineT& pipeline, detail::u32 rank)
      : ThreadGroup<InPlaceWorker, Warps * 32>(rank),
        pipeline_(pipeline) {}
  PipelineT& pipeline_;
};

namespace detail {

struct InPlaceAccess {
  template <class PipelineT>
  static TMA_DEVICE PipelineT make(typename PipelineT::Shared& shared, const char* name, u32 rank, u32 warps) {
    return PipelineT(shared, name, rank, warps);
  }
  template <class PipelineT> static TMA_DEVICE InPlaceMover<PipelineT> mover(PipelineT& pipeline) {
    return InPlaceMover<PipelineT>(pipeline);
  }
  template <int Warps, int NamedBarrier, class PipelineT>
  static TMA_DEVICE InPlaceWorker<PipelineT, Warps, NamedBarrier> worker(PipelineT& pipeline, u32 rank) {
    return InPlaceWorker<PipelineT, Warps, NamedBarrier>(pipeline, rank);
  }
};

}  // namespace detail

/// Splits the block into a warp that loads and stores and warps that change what it has loaded, where it lies.
///
///     auto& ring = tma::shared<Pipe::Shared>();   // of an InPlacePipeline
///     tma::transform(ring, tma::producer_warp<0>, [&](auto& mover) {
///       mover.for_each(tiles, [&](auto load, int i) { load(in, at(i)); }, [&](auto store, int i) { store(out, at(i)); });
///     }, tma::consumer_warps<8>, [&](auto& worker) {
///       for (int i = 0; i < tiles; ++i) worker.next([&](Tile& tile) { for (auto& x : worker.elements(tile)) x *= 2; });
///     });
///
/// All threads of the block, once for each `ring`, which may be `tma::named("scale", ring)`. `move(mover)` runs in one thread of the moving warp; `work(worker)` in every
/// thread of the working warps; other warps go past. Both sides take the same number of steps, any number. The roles do not
/// meet inside: no block-wide barrier may stand in them. Named barrier 1 is the workers', or that of a last argument,
/// `tma::first_named_barrier<N>`. The moving thread leaves when its
/// stores have read the stages. Registers, where the roles name them, move as in `tma::specialize`.
template <class Ring, class MoverT, class Move, class WorkersT, class Work, class NamedBarriers = FirstNamedBarrier<1>>
TMA_DEVICE void transform(Ring&& ring, MoverT, Move&& move, WorkersT, Work&& work, NamedBarriers = {}) {
  using P                = detail::ProducersOf<MoverT>;
  using C                = detail::ConsumersOf<WorkersT, detail::first_named_barrier_of<NamedBarriers>()>;
  constexpr bool is_ring = requires { typename detail::remove_cvref_t<Ring>::in_place_pipeline; };
  static_assert(is_ring, "tma::transform: the first argument is the shared memory of a tma::InPlacePipeline: auto& ring = "
                         "tma::shared<Pipe::Shared>()");
  constexpr bool are_roles = [] {
    if constexpr (P::known && C::known) return !P::group && P::warps == 1 && C::layout::groups == 1;
    else return false;
  }();
  static_assert(are_roles, "tma::transform: one thread moves and one group of warps works: tma::producer_warp<W> and "
                           "tma::consumer_warps<N>");
  if constexpr (is_ring && are_roles) {
    using PipelineT          = typename detail::remove_cvref_t<Ring>::in_place_pipeline;
    using Access             = detail::PipelineAccess;
    using Layout             = typename C::layout;
    constexpr bool registers = Layout::registers > 0;
    // The warps that are kept for the mover: a warpgroup where registers are moved.
    constexpr detail::u32 kept_from = registers ? P::first / 4 * 4 : P::first, kept = registers ? 4 : 1;
    static_assert(detail::check_roles<P, Layout>());
    const detail::u32 rank = ptx::thread_rank();
    const detail::u32 warp = ptx::uniform(rank / 32);
    detail::check(ptx::block_threads() >= 32 * (Layout::warps + kept) && ptx::block_threads() > 32 * kept_from,
                  "the block has fewer warps than the roles need. Fix: launch 32 for each warp of each role, 128 for the "
                  "producers where registers move; threads",
                  ptx::block_threads());

    if constexpr (registers) detail::check_register_share<P, Layout>(ptx::block_threads());
    PipelineT pipeline = detail::InPlaceAccess::make<PipelineT>(Access::ring(ring), Access::name(ring), rank, Layout::warps);
    if (warp - kept_from < kept) {
      detail::move_registers<false, P::registers>();
      ptx::enter_role("mover");
      if (warp == P::first && ptx::elect_sync()) {
        auto mover = detail::InPlaceAccess::mover(pipeline);
        move(mover);
      }
    } else {
      const detail::u32 working = warp > kept_from ? warp - kept : warp;
      if (int(working) < Layout::warps) {
        detail::move_registers<true, Layout::registers>();
        ptx::enter_role("worker");
        auto worker =
            detail::InPlaceAccess::worker<Layout::warps, Layout::named_barrier>(pipeline, working * 32 + rank % 32);
        work(worker);
      }
    }
  }
}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
