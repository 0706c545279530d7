#pragma once

#include "../core/prologue.hpp"

#include "barrier_access.hpp"

namespace tma::inline TMA_ABI {

/// A thread's place in the phases of one barrier: which phase it waits for next.
///
/// Each thread has its own, in registers, from `tma::this_block(barrier)`, or from `tma::this_cluster(barrier)`, which
/// makes it acquire what the whole cluster has released. Only its own waits move it on, and it cannot be made from a
/// number, so the parity of one barrier never serves another. A hardware barrier tells only the current phase from the
/// one before: a thread that waits at all waits for every phase.
template <class Barrier, Scope S> class MbarrierPhase {
  // What the compiler prints where a phase is copied or made by hand.
  using two_phases_of_one_barrier_would_drift_apart__pass_it_by_reference = MbarrierPhase;
  using a_phase_comes_from_this_block__not_from_a_number                  = int;
  using a_phase_comes_from_this_block                                     = Barrier;

public:
  MbarrierPhase(const two_phases_of_one_barrier_would_drift_apart__pass_it_by_reference&)            = delete;
  MbarrierPhase& operator=(const two_phases_of_one_barrier_would_drift_apart__pass_it_by_reference&) = delete;

  /// Until this phase completes; then the next one is the one to wait for. What was arrived for or copied in this
  /// phase is visible to the caller (mbarrier.try_wait, acquire at scope `S`). Any number of threads, each for
  /// itself; a thread that waits alone while its warp goes on costs the warp nothing but divergence.
  TMA_DEVICE void wait() {
    detail::BarrierAccess::wait<Order::ordered, S>(barrier_, parity_);
    parity_ ^= 1;
  }

  /// The same; `wait<tma::Order::relaxed>()` makes nothing visible that threads wrote.
  template <Order O> TMA_DEVICE void wait() {
    detail::BarrierAccess::wait<O, S>(barrier_, parity_);
    parity_ ^= 1;
  }

  /// Waits for what frees a place in shared memory that threads have used: what they did before their arrivals is ordered
  /// before the copies that the calling thread issues from now on (it fences after the wait). Of the issuing thread.
  TMA_DEVICE void wait_to_refill() {
    wait();
    if constexpr (S == Scope::block) ptx::fence_proxy_async_shared();
    else detail::BarrierForms<Order::ordered, S>::fence_copies();
  }

  /// Whether this phase has completed, at once. Does not move on: `wait` does, and then returns at once.
  [[nodiscard]] TMA_DEVICE bool is_complete() const {
    const detail::u32 address = detail::BarrierAccess::address(barrier_);
    if constexpr (S == Scope::block) return noted(ptx::mbarrier_test_wait(address, parity_));
    else return noted(detail::BarrierForms<Order::ordered, S>::test_wait(address, parity_));
  }

  /// As `wait` where it returns true; false where the phase has not completed after a time that the hardware chooses.
  template <Order O = Order::ordered> [[nodiscard]] TMA_DEVICE bool try_wait() {
    bool done = false;
    if constexpr (detail::has_forms<O, S>())
      done = noted(detail::BarrierForms<O, S>::try_wait(detail::BarrierAccess::address(barrier_), parity_));
    parity_ ^= detail::u32(done);
    return done;
  }

  /// The same with a hint at that time, in nanoseconds. (An H200 takes about 4 microseconds, whatever the hint.)
  template <Order O = Order::ordered> [[nodiscard]] TMA_DEVICE bool try_wait_for(detail::u32 nanoseconds) {
    bool done = false;
    if constexpr (detail::has_forms<O, S>())
      done = noted(detail::BarrierForms<O, S>::try_wait_for(detail::BarrierAccess::address(barrier_), parity_, nanoseconds));
    parity_ ^= detail::u32(done);
    return done;
  }

  /// The barrier itself.
  TMA_DEVICE Barrier& barrier() const { return barrier_; }

private:
  friend struct detail::BarrierAccess;
  TMA_DEVICE explicit MbarrierPhase(a_phase_comes_from_this_block__not_from_a_number = 0);  // never defined
  TMA_DEVICE explicit MbarrierPhase(a_phase_comes_from_this_block& barrier) : barrier_(barrier) {}

  TMA_DEVICE bool noted(bool completed) const {
    return detail::note_completed(detail::BarrierAccess::address(barrier_), parity_, completed);
  }

  Barrier&    barrier_;
  detail::u32 parity_ = 0;
};

namespace detail {

template <class T> inline constexpr bool                is_phase_v                            = false;
template <class Barrier, Scope S> inline constexpr bool is_phase_v<MbarrierPhase<Barrier, S>> = true;

// A load barrier, or a thread's phase of one; and the scope at which its waits acquire.
template <class T> inline constexpr bool is_load_phase_v = false;
template <class Barrier, Scope S>
inline constexpr bool                          is_load_phase_v<MbarrierPhase<Barrier, S>> = is_load_barrier_v<Barrier>;
template <class T> inline constexpr bool       waits_at_block_scope_v                     = false;
template <class Barrier> inline constexpr bool waits_at_block_scope_v<MbarrierPhase<Barrier, Scope::block>> = true;

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
