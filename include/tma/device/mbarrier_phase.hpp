#pragma once

#include "barrier_access.hpp"

namespace tma {

/// A thread's place in the phases of one barrier: which phase it waits for next.
///
/// Each thread has its own, in registers, from `tma::this_block(barrier)`. Only its own `wait` moves it on, and it
/// cannot be made from a number, so the parity of one barrier never serves another. A hardware barrier tells only
/// the current phase from the one before: a thread that waits at all waits for every phase.
template <class Barrier> class MbarrierPhase {
  // What the compiler prints where a phase is copied or made by hand.
  using two_phases_of_one_barrier_would_drift_apart__pass_it_by_reference = MbarrierPhase;
  using a_phase_comes_from_this_block__not_from_a_number                  = int;
  using a_phase_comes_from_this_block                                     = Barrier;

public:
  MbarrierPhase(const two_phases_of_one_barrier_would_drift_apart__pass_it_by_reference&)            = delete;
  MbarrierPhase& operator=(const two_phases_of_one_barrier_would_drift_apart__pass_it_by_reference&) = delete;

  /// Until this phase completes; then the next one is the one to wait for. What was arrived for or copied in this
  /// phase is visible to the caller (mbarrier.try_wait, acquire at block scope). Any number of threads, each for
  /// itself; a thread that waits alone while its warp goes on costs the warp nothing but divergence.
  TMA_DEVICE void wait() {
    detail::BarrierAccess::wait(barrier_, parity_);
    parity_ ^= 1;
  }

  /// Whether this phase has completed, at once. Does not move on: `wait` does, and then returns at once.
  [[nodiscard]] TMA_DEVICE bool is_complete() const {
    return ptx::mbarrier_test_wait(detail::BarrierAccess::address(barrier_), parity_);
  }

  /// The barrier itself.
  TMA_DEVICE Barrier& barrier() const { return barrier_; }

private:
  friend struct detail::BarrierAccess;
  TMA_DEVICE explicit MbarrierPhase(a_phase_comes_from_this_block__not_from_a_number = 0);  // never defined
  TMA_DEVICE explicit MbarrierPhase(a_phase_comes_from_this_block& barrier) : barrier_(barrier) {}

  Barrier&    barrier_;
  detail::u32 parity_ = 0;
};

}  // namespace tma
