#pragma once

#include "../core/prologue.hpp"

#include "../device/device_code.hpp"
#include "stage_parts.hpp"

namespace tma::inline TMA_ABI {

namespace detail {

// Nothing is to be done for a stage once it is free: a producer of its own refills it.
struct NoRefill {
  TMA_DEVICE void operator()() const {}
};

}  // namespace detail

/// A stage that a warp is using (`Owner`: the pipeline, or the consumers' side of it). Handed as the last argument,
/// `auto& stage`, to a function that takes it, and returned by `consumer.wait()`. It is freed once: by `release`, or at the
/// end of its scope. It is not copied. One from `consumer.wait()` moves, so that a stage may be kept over steps, until the
/// matrix units have read it; one of `for_each` is refilled by the threads that use it, within its step, and stays there:
///
///     auto previous = consumer.none();
///     for (...) {
///       auto stage = consumer.wait();
///       ... issue what reads stage[tma::slot<0>] ...; wait until the step before has been read
///       previous = std::move(stage);   // frees the one before
///     }
///
/// Fewer stages are kept than there are: a ring all of whose stages are held is filled no more.
template <class Owner, class Refill = detail::NoRefill> class HeldStage {
  using a_stage_is_freed_once__take_it_by_reference = HeldStage;  // what the compiler prints of a copy

  // What a refill captures is the step's: it does not outlive it.
  static constexpr bool moves = detail::is_same_v<Refill, detail::NoRefill>;

public:
  HeldStage(const a_stage_is_freed_once__take_it_by_reference&)                       = delete;
  TMA_DEVICE HeldStage& operator=(const a_stage_is_freed_once__take_it_by_reference&) = delete;
  TMA_DEVICE            HeldStage(HeldStage&& other)
    requires(moves)
      : owner_(other.owner_),
        stage_(other.stage_),
        held_(other.held_) {
    other.held_ = false;
  }
  /// Frees the stage that was held here, and takes the other.
  TMA_DEVICE HeldStage& operator=(HeldStage&& other)
    requires(moves)
  {
    if (held_) free();
    stage_      = other.stage_;
    held_       = other.held_;
    other.held_ = false;
    return *this;
  }
  TMA_DEVICE ~HeldStage() {
    if (held_) free();
  }

  /// Whether a stage is held.
  TMA_DEVICE explicit operator bool() const { return held_; }

  /// All threads of the warp, together. This warp reads the stage's tiles no more: once every warp has said so the next
  /// load overwrites them. A kernel that has its values in registers releases before it computes and writes, and the next
  /// load is under way by then.
  TMA_DEVICE void release() {
    if constexpr (detail::checked)
      detail::check(held_,
                    "a stage is released once, and not after it was moved from. Fix: leave the second release() out; "
                    "the end of its scope does it as well; stage",
                    stage_);
    if (held_) free();
    held_ = false;
  }

  /// A part of the stage: `stage[tma::slot<0>]`.
  template <int I> TMA_DEVICE const auto& operator[](Slot<I>) const {
    static_assert(I >= 0 && I < Owner::traits::list::count, "tma::Pipeline: the stage has no part at this slot");
    if constexpr (detail::checked)
      detail::check(held_,
                    "the parts of a stage are read until it is released. Fix: read, or copy to registers, before "
                    "release() and before the end of its scope; stage",
                    stage_);
    return owner_->template part<I>(stage_);
  }
  template <int I> TMA_DEVICE const auto& get() const { return (*this)[Slot<I>()]; }

private:
  template <int, class...> friend class Pipeline;
  template <class, class> friend class Consumer;
  TMA_DEVICE HeldStage(Owner& owner, int stage, bool held, Refill refill = {})
      : owner_(&owner),
        stage_(stage),
        held_(held),
        refill_(refill) {}

  TMA_DEVICE void free() {
    owner_->free(stage_);
    refill_();
  }

  Owner*                       owner_;
  int                          stage_;
  bool                         held_;    // known when compiling, but where a stage is kept over steps
  [[no_unique_address]] Refill refill_;  // what this thread has to do for the stage once it is free
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
