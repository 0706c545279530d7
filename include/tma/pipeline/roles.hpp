#pragma once

#include "pipeline.hpp"

namespace tma {

/// Names warp `Warp` of the block as the producer.
template <int Warp> struct ProducerWarp {};
template <int Warp> inline constexpr ProducerWarp<Warp> producer_warp{};

/// Names the first `Count` warps of the block that are not the producer as the consumers.
template <int Count> struct ConsumerWarps {};
template <int Count> inline constexpr ConsumerWarps<Count> consumer_warps{};

/// The producer's side of a pipeline: one elected thread, which fills stage after stage.
template <class PipelineT> class Producer {
  using a_producer_has_its_phases_once__take_it_by_reference = Producer;  // what the compiler prints of a copy

public:
  Producer(const a_producer_has_its_phases_once__take_it_by_reference&)            = delete;
  Producer& operator=(const a_producer_has_its_phases_once__take_it_by_reference&) = delete;

  /// Fills the next stage once its consumers have freed it: `issue(stage)` calls `stage.load(descriptor, at)` for the
  /// tiles of the stage.
  template <class Issue> TMA_DEVICE void next(Issue&& issue) {
    pipeline_.fill(pipeline_.position_, issue);
    pipeline_.position_.advance();
  }

private:
  friend struct detail::PipelineAccess;
  TMA_DEVICE explicit Producer(PipelineT& pipeline) : pipeline_(pipeline) {}
  PipelineT& pipeline_;
};

/// The consumers' side of a pipeline: a group of `Warps` warps that all see every stage.
template <class PipelineT, int Warps, int NamedBarrier>
class Consumer : public ThreadGroup<Consumer<PipelineT, Warps, NamedBarrier>, Warps * 32> {
  using a_group_is_one_threads_view__pass_it_by_reference = Consumer;  // what the compiler prints of a copy

public:
  Consumer(const a_group_is_one_threads_view__pass_it_by_reference&)            = delete;
  Consumer& operator=(const a_group_is_one_threads_view__pass_it_by_reference&) = delete;

  /// All consumer threads. Waits until the next stage is full, calls `use(tile...)`, and frees the stage, a warp at a
  /// time. The tiles are valid until `use` returns, or releases them: a function `use(tile..., stage)` may call
  /// `stage.release()`. The warps are not in lockstep: they call `sync()` if they exchange data.
  template <class Use> TMA_DEVICE void next(Use&& use) {
    pipeline_.take([] {}, use);
  }

  /// All consumer threads meet; nobody else takes part.
  TMA_DEVICE void sync() const { ptx::sync_threads(NamedBarrier, Warps * 32); }

private:
  friend struct detail::PipelineAccess;
  TMA_DEVICE Consumer(PipelineT& pipeline, detail::u32 rank)
      : ThreadGroup<Consumer, Warps * 32>(rank),
        pipeline_(pipeline) {}
  PipelineT& pipeline_;
};

namespace detail {

struct PipelineAccess {
  template <class PipelineT> static TMA_DEVICE PipelineT make(typename PipelineT::Shared& shared, u32 rank, u32 warps) {
    return PipelineT(shared, rank, warps);
  }
  template <class PipelineT> static TMA_DEVICE Producer<PipelineT> producer(PipelineT& pipeline) {
    return Producer<PipelineT>(pipeline);
  }
  template <int Warps, int NamedBarrier, class PipelineT>
  static TMA_DEVICE Consumer<PipelineT, Warps, NamedBarrier> consumer(PipelineT& pipeline, u32 rank) {
    return Consumer<PipelineT, Warps, NamedBarrier>(pipeline, rank);
  }
};

}  // namespace detail

/// Splits the block into a warp that only issues loads and warps that only use them.
///
///     auto& ring = tma::shared<Pipe::Shared>();
///     tma::specialize(ring, tma::producer_warp<0>, [&](auto& producer) {
///       for (int k = 0; k < steps; ++k) producer.next([&](auto stage) { stage.load(a, {m, k * 64}); });
///     }, tma::consumer_warps<8>, [&](auto& consumer) {
///       for (int k = 0; k < steps; ++k) consumer.next([&](const Tile& tile) { ... });
///     });
///
/// All threads of the block, once for each `ring`. `produce(producer)` runs in one thread of the producer warp;
/// `consume(consumer)` in every thread of the consumer warps; other warps go past. Both sides take the same number of
/// steps, any number. The roles do not meet inside: no block-wide barrier may stand in them. Named barrier 1 is the
/// consumers'. The block has at least one warp more than there are consumers.
template <class Ring, int Warp, class Produce, int Count, class Consume>
TMA_DEVICE void specialize(Ring& ring, ProducerWarp<Warp>, Produce&& produce, ConsumerWarps<Count>, Consume&& consume) {
  static_assert(
      requires { typename Ring::pipeline; }, "tma::specialize: the first argument is the pipeline's shared "
                                             "memory: auto& ring = tma::shared<Pipe::Shared>()");
  using PipelineT = typename Ring::pipeline;
  static_assert(Warp >= 0 && Warp < 32 && Count >= 1 && Count <= 31, "tma::specialize: a block has at most 32 warps: one "
                                                                     "producer and 1 to 31 consumers");
  const detail::u32 rank = ptx::thread_rank();
  const detail::u32 warp = rank / 32;
  detail::check(ptx::block_threads() >= 32 * (Count + 1) && ptx::block_threads() > 32 * Warp,
                "the block has fewer warps than the roles need; threads", ptx::block_threads());

  PipelineT pipeline = detail::PipelineAccess::make<PipelineT>(ring, rank, Count);
  if (warp == Warp) {
    ptx::enter_role("producer");
    if (ptx::elect_sync()) {
      auto producer = detail::PipelineAccess::producer(pipeline);
      produce(producer);
    }
  } else {
    const detail::u32 consuming = warp > Warp ? warp - 1 : warp;
    if (consuming < Count) {
      ptx::enter_role("consumer");
      auto consumer = detail::PipelineAccess::consumer<Count, 1>(pipeline, consuming * 32 + rank % 32);
      consume(consumer);
    }
  }
}

}  // namespace tma
