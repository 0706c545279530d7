#pragma once

#include "instructions.hpp"

namespace tma {

template <class Barrier> class MbarrierPhase;

namespace detail {

template <class T> inline constexpr bool is_barrier_v = false;

template <class Never> TMA_HOST_DEVICE constexpr void refuse_wait() {
  static_assert(always_false<Never>, "tma: a thread waits with its phase of the barrier, which knows the parity: auto "
                                     "[block, arrived] = tma::this_block(barrier), then arrived.wait()");
}

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
}  // namespace tma
