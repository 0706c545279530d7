#pragma once

#include "../core/prologue.hpp"

#include "../device/device_code.hpp"
#include "pipeline.hpp"

namespace tma::inline TMA_ABI {

/// By whom a stage is freed: by every warp that uses it, each when it is done; or by one thread of each group, which meets
/// before. The first holds nobody up, the second makes fewer arrivals.
enum class ReleaseBy : int { warp, group };

namespace detail {

// `Groups` groups of `Warps` warps. Where they take turns each stage is used by one of them, else by all.
template <int Groups_, int Warps_, bool Turns, ReleaseBy By, int Registers, int NamedBarrier> struct ConsumerLayout {
  static constexpr int       groups = Groups_, warps = Warps_, registers = Registers;
  static constexpr int       named_barrier = NamedBarrier;  // of the first group; the others have those that follow
  static constexpr bool      turns         = Turns;
  static constexpr ReleaseBy by            = By;
  // Arrivals that free a stage.
  static constexpr int releases = (Turns ? 1 : Groups_) * (By == ReleaseBy::warp ? Warps_ : 1);
};

}  // namespace detail

/// The consumers' side of a pipeline, from `tma::specialize`: a group of warps that use stage after stage.
///
/// Its threads have ranks, share the elements of a tile and publish as those of a block do (`ThreadGroup`). With several
/// groups (`consumer_groups<G, W>`, `taking_turns<G, W>`) each thread sees its own group, of W warps.
template <class PipelineT, class Layout>
class Consumer : public ThreadGroup<Consumer<PipelineT, Layout>, Layout::warps * 32> {
  using a_group_is_one_threads_view__pass_it_by_reference = Consumer;  // what the compiler prints of a copy

public:
  using traits = typename PipelineT::traits;

  Consumer(const a_group_is_one_threads_view__pass_it_by_reference&)            = delete;
  Consumer& operator=(const a_group_is_one_threads_view__pass_it_by_reference&) = delete;

  /// All threads of the group. Waits until the next stage is full, calls `use(part...)`, and frees the stage, a warp at a
  /// time. The tiles are valid until `use` returns, or releases them: a function `use(part..., stage)` may call
  /// `stage.release()`. The warps are not in lockstep: they call `sync()` if they exchange data.
  template <class Use> TMA_DEVICE void next(Use&& use) {
    check_waits();
    pipeline_.wait_full();
    {
      HeldStage<Consumer> held(*this, pipeline_.position_.stage, true);
      pipeline_.use_parts(use, held, detail::make_indices<traits::list::count>());
    }
    pipeline_.position_.advance();
  }

  /// All threads of the group. The next stage, once it is full: `auto stage = consumer.wait()`, its parts
  /// `stage[tma::slot<0>]`. Freed by `stage.release()` or at the end of its scope.
  [[nodiscard]] TMA_DEVICE HeldStage<Consumer> wait() {
    check_waits();
    pipeline_.wait_full();
    const int stage = pipeline_.position_.stage;
    pipeline_.position_.advance();
    return HeldStage<Consumer>(*this, stage, true);
  }
  /// No stage: what a variable that keeps one over steps begins with.
  [[nodiscard]] TMA_DEVICE HeldStage<Consumer> none() { return HeldStage<Consumer>(*this, 0, false); }

  /// Whether the next stage is full now: `next` would not wait. Makes nothing visible.
  [[nodiscard]] TMA_DEVICE bool is_ready() const { return pipeline_.is_ready(); }

  /// All threads of the group. Skips `steps` stages without using them, 0 or more, counted in 32 or 64 bits. Where groups
  /// take turns these are the others' stages, which the others wait for and free. Else waits for each, and frees it.
  template <class Count = int> TMA_DEVICE void skip(Count steps = 1) {
    if constexpr (detail::check_count<Count>()) {
      using Step   = detail::step_t<Count>;
      const Step n = detail::step_count(steps);
      detail::check(n >= 0, "the number of stages that a consumer goes past must be 0 or more; the number", n);
      if constexpr (Layout::turns) {
        pipeline_.position_.advance(n);
      } else {
        check_waits();
        for (Step i = 0; i < n; ++i) {
          pipeline_.wait_full();
          free(pipeline_.position_.stage);
          pipeline_.position_.advance();
        }
      }
    }
  }

  /// All threads of the group, for good: the stages are freed without it from now on, and it calls nothing more of the
  /// pipeline. For a group that is done before the others; one group at least stays to the end. Waits until the others have
  /// freed the stages of the round before. Needs <tma/device/barrier_forms.hpp>.
  template <class Never = void> TMA_DEVICE void leave() {
    static_assert(!Layout::turns && Layout::groups > 1 && traits::reach::blocks == 1,
                  "tma::Pipeline: only a group whose stages are used by other groups of its block as well may leave before "
                  "the end: tma::consumer_groups<G, W> with G > 1. Otherwise go past what is left: consumer.skip(n)");
    check_waits();
#if defined(TMA_DETAIL_WATCHED)
    left_ = true;
#endif
    ptx::enter_role("consumer that has left");
    if constexpr (Layout::by == ReleaseBy::warp) ptx::sync_warp();
    else sync();
    if (releases()) {
      auto at = pipeline_.position_;
      for (int s = 0; s < PipelineT::stages; ++s) {
        pipeline_.drop(at);
        at.advance();
      }
    }
  }

  /// Which group this is, 0 to G - 1. The compiler knows it to be the same for a whole warp: what follows from it is in uniform
  /// registers, where matrix units take their operands from.
  TMA_DEVICE int group() const {
    if constexpr (Layout::groups == 1) return 0;
    else return group_;
  }
  static constexpr int groups = Layout::groups, warps = Layout::warps;

  /// The named barrier of the first group; the others have those that follow (`tma::first_named_barrier`).
  static constexpr int first_named_barrier = Layout::named_barrier;

  /// All threads of the group meet; nobody else takes part.
  TMA_DEVICE void sync() const { ptx::sync_threads(first_named_barrier + group(), Layout::warps * 32); }

private:
  friend struct detail::PipelineAccess;
  template <class, class> friend class HeldStage;
  template <int, int> friend class Turns;

  TMA_DEVICE Consumer(PipelineT& pipeline, detail::u32 rank, int group)
      : ThreadGroup<Consumer, Layout::warps * 32>(rank),
        pipeline_(pipeline),
        group_(group) {}

  template <int I> TMA_DEVICE const auto& part(int stage) const { return pipeline_.template part<I>(stage); }

  // Whether this thread is one of those that free a stage, once its warp or group has met.
  TMA_DEVICE bool releases() const { return Layout::by == ReleaseBy::warp ? this->rank_ % 32 == 0 : this->rank_ == 0; }

  TMA_DEVICE void free(int stage) {
    if constexpr (Layout::by == ReleaseBy::warp || Layout::warps == 1) {
      pipeline_.free(stage, 32);  // consumers are whole warps
    } else {
      pipeline_.free_together(stage, this->rank_, Layout::warps * 32, [&] { sync(); });
    }
  }

  // That this group may wait for a stage now; and, from `Turns`, whether its turn is on.
  TMA_DEVICE void check_waits() const {
#if defined(TMA_DETAIL_WATCHED)
    detail::check(!left_, "a group that has left calls nothing more of the pipeline: leave() comes last; the group",
                  group());
    if constexpr (Layout::turns && Layout::groups > 1)
      detail::check(
          in_turn_,
          "a group that takes turns waits for its stages in its turn, turns.take(consumer, [&] { ... }): before it "
          "cannot tell its phase from one of the others'; the group",
          group());
#endif
  }
  TMA_DEVICE void note_turn([[maybe_unused]] bool on) const {
#if defined(TMA_DETAIL_WATCHED)
    in_turn_ = on;
#endif
  }

  PipelineT& pipeline_;
  int        group_;
#if defined(TMA_DETAIL_WATCHED)
  bool         left_    = false;
  mutable bool in_turn_ = false;
#endif
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
