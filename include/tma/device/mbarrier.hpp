#pragma once

#include "instructions.hpp"

namespace tma {

namespace detail {

struct BarrierAccess;

template <class Never> TMA_HOST_DEVICE constexpr void refuse_wait() {
  static_assert(always_false<Never>, "tma: a thread waits with its phase of the barrier, which knows the parity: auto "
                                     "[block, arrived] = tma::this_block(barrier), then arrived.wait()");
}

}  // namespace detail

template <class Barrier> class MbarrierPhase;

/// A barrier in shared memory that counts `Arrivals` arrivals a phase (PTX: mbarrier). For threads that hand
/// something to other threads; a copy completes on a `LoadBarrier`.
///
/// Initialised by `tma::this_block(barrier)`, which gives each thread its `MbarrierPhase`, the only thing that waits.
/// Never copied; nothing else may touch its bytes while it lives.
template <int Arrivals> class Mbarrier {
  using a_barrier_is_a_place_in_shared_memory__take_it_by_reference = Mbarrier;  // what the compiler prints of a copy

public:
  static_assert(Arrivals >= 1 && Arrivals <= (1 << 20) - 1, "tma::Mbarrier: a phase has 1 to 1048575 arrivals");

  static constexpr int arrivals = Arrivals;

  Mbarrier()                                                                              = default;
  Mbarrier(const a_barrier_is_a_place_in_shared_memory__take_it_by_reference&)            = delete;
  Mbarrier& operator=(const a_barrier_is_a_place_in_shared_memory__take_it_by_reference&) = delete;

  /// One arrival by the calling thread. Its earlier accesses are ordered before the return of every wait for this
  /// phase (mbarrier.arrive, release at block scope).
  TMA_DEVICE void arrive() { ptx::mbarrier_arrive(ptx::shared_address(&word_)); }

  template <class Never = void> TMA_DEVICE void wait() const { detail::refuse_wait<Never>(); }

private:
  friend struct detail::BarrierAccess;
  detail::u64 word_;
};

/// The barrier that loads complete on. A phase completes when the issuing thread has issued its loads and every byte
/// of them has arrived; the bytes are summed from the tiles' types, never typed.
///
/// Initialised by `tma::this_block(barrier)`. Stores do not complete here: they have `StoreGroup`.
class LoadBarrier {
  using a_barrier_is_a_place_in_shared_memory__take_it_by_reference = LoadBarrier;

public:
  static constexpr int arrivals = 1;  // the issuing thread's

  LoadBarrier()                                                                              = default;
  LoadBarrier(const a_barrier_is_a_place_in_shared_memory__take_it_by_reference&)            = delete;
  LoadBarrier& operator=(const a_barrier_is_a_place_in_shared_memory__take_it_by_reference&) = delete;

  template <class Never = void> TMA_DEVICE void wait() const { detail::refuse_wait<Never>(); }

private:
  friend struct detail::BarrierAccess;
  detail::u64 word_;
};

namespace detail {

template <class T> inline constexpr bool      is_barrier_v                     = false;
template <int Arrivals> inline constexpr bool is_barrier_v<Mbarrier<Arrivals>> = true;
template <> inline constexpr bool             is_barrier_v<LoadBarrier>        = true;

// What the library itself may do to a barrier.
struct BarrierAccess {
  template <class Barrier> static TMA_DEVICE u32 address(const Barrier& barrier) {
    return ptx::shared_address(&barrier.word_);
  }
  template <class Barrier> static TMA_DEVICE void init(Barrier& barrier, u32 arrivals = Barrier::arrivals) {
    ptx::mbarrier_init(address(barrier), arrivals);
  }
  template <class Barrier> static TMA_DEVICE void wait(const Barrier& barrier, u32 parity) {
    const u32 a = address(barrier);
    while (!ptx::mbarrier_try_wait(a, parity)) {}
  }
  template <class Barrier> static TMA_DEVICE MbarrierPhase<Barrier> first_phase(Barrier& barrier) {
    return MbarrierPhase<Barrier>(barrier);
  }
};

}  // namespace detail

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
