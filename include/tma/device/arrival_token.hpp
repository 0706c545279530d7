#pragma once

#include "../core/prologue.hpp"

#include "barrier_access.hpp"

#include TMA_DETAIL_PTX(_barrier)

namespace tma::inline TMA_ABI {

/// The phase of `barrier` that an arrival was made in, from `barrier.arrive_token()`: what waits for it without counting
/// phases. Of any thread, while that phase or the one after it is the barrier's current one.
///
/// A thread waits either with tokens or with its `MbarrierPhase`, which knows nothing of waits by tokens.
template <class Barrier> class ArrivalToken {
  using a_token_comes_from_an_arrival = detail::u64;

public:
  /// Until the phase completes; then what was arrived for in it is visible to the caller (acquire at `S`).
  template <Order O = Order::ordered, Scope S = Scope::block> TMA_DEVICE void wait() const {
    const detail::u32   a = detail::BarrierAccess::address(*barrier_);
    detail::BoundedWait wait(a, detail::any_parity);
    while (!ptx::mbarrier_try_wait_state<O, S>(a, state_)) wait.again();
  }

  /// Whether it has completed, at once.
  template <Order O = Order::ordered, Scope S = Scope::block> [[nodiscard]] TMA_DEVICE bool is_complete() const {
    return ptx::mbarrier_test_wait_state<O, S>(detail::BarrierAccess::address(*barrier_), state_);
  }

  /// False where it has not completed after a time that the hardware chooses; of about `nanoseconds`, where they are given.
  template <Order O = Order::ordered, Scope S = Scope::block> [[nodiscard]] TMA_DEVICE bool try_wait() const {
    return ptx::mbarrier_try_wait_state<O, S>(detail::BarrierAccess::address(*barrier_), state_);
  }
  template <Order O = Order::ordered, Scope S = Scope::block>
  [[nodiscard]] TMA_DEVICE bool try_wait_for(detail::u32 nanoseconds) const {
    return ptx::mbarrier_try_wait_state_for<O, S>(detail::BarrierAccess::address(*barrier_), state_, nanoseconds);
  }

  /// Arrivals that the phase expected before the token's own were counted.
  [[nodiscard]] TMA_DEVICE int pending() const { return int(ptx::mbarrier_pending_count(state_)); }

private:
  template <Order, Scope> friend struct detail::BarrierForms;
  TMA_DEVICE ArrivalToken(Barrier& barrier, a_token_comes_from_an_arrival state) : barrier_(&barrier), state_(state) {}

  Barrier*    barrier_;
  detail::u64 state_;
};

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
