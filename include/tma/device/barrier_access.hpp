#pragma once

#include "../core/prologue.hpp"

#include "../core/scope.hpp"
#include "barrier_kinds.hpp"
#include "bounded_wait.hpp"

namespace tma::inline TMA_ABI {

template <class Barrier, Scope S = Scope::block> class MbarrierPhase;

namespace detail {

// Counts, tokens, orders, scopes and time limits: <tma/device/barrier_forms.hpp>. Not every file pays for reading them.
template <Order O, Scope S> struct BarrierForms;

template <Order O, Scope S> TMA_HOST_DEVICE constexpr bool has_forms() {
  static_assert(S == Scope::block || S == Scope::cluster,
                "tma: a barrier orders the memory of its block's threads or of its "
                "cluster's: Scope::block or Scope::cluster");
  constexpr bool included = is_complete_v<BarrierForms<O, S>>;
  static_assert(included, "tma: this form of a barrier's instruction needs #include <tma/device/barrier_forms.hpp>");
  return included && (S == Scope::block || S == Scope::cluster);
}

template <class Never> TMA_HOST_DEVICE constexpr void refuse_wait() {
  static_assert(always_false<Never>, "tma: a thread waits with its phase of the barrier, which knows the parity: auto "
                                     "[block, arrived] = tma::this_block(barrier), then arrived.wait()");
}

template <class... Barriers> TMA_HOST_DEVICE constexpr bool own_barriers() {
  static_assert((!is_peer_v<Barriers> && ...),
                "tma: a barrier is initialised by the block it lies in, and not by its peers");
  return true;
}

// What the library itself may do to a barrier.
struct BarrierAccess {
  template <class Barrier> static TMA_DEVICE u32 address(const Barrier& barrier) {
    return ptx::shared_address(&barrier.word_);
  }
  template <class Barrier> static TMA_DEVICE void init(Barrier& barrier, u32 arrivals = Barrier::arrivals) {
    ptx::mbarrier_init(address(barrier), arrivals);
#if defined(TMA_DETAIL_WATCHED)
    if constexpr (is_load_barrier_v<Barrier>) notes::marked(address(barrier), notes::of_loads);
#endif
  }
  template <Order O = Order::ordered, Scope S = Scope::block, class Barrier>
  static TMA_DEVICE void wait(const Barrier& barrier, u32 parity) {
    const u32   a = address(barrier);
    BoundedWait wait(a, parity);
    if constexpr (O == Order::ordered && S == Scope::block) {
      while (!ptx::mbarrier_try_wait(a, parity)) wait.again();
    } else if constexpr (has_forms<O, S>()) {
      while (!BarrierForms<O, S>::try_wait(a, parity)) wait.again();
    }
  }
  template <Scope S = Scope::block, class Barrier>
  static TMA_DEVICE MbarrierPhase<Barrier, S> first_phase(Barrier& barrier) {
    return MbarrierPhase<Barrier, S>(barrier);
  }
};

}  // namespace detail
}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
