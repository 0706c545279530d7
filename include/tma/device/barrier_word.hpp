#pragma once

#include "../core/prologue.hpp"

#include "../core/count.hpp"
#if TMA_HAS_DEVICE
#  include "barrier_access.hpp"
#else
#  include "barrier_kinds.hpp"
#endif

namespace tma::inline TMA_ABI::detail {

struct BarrierAccess;

// The eight bytes of a barrier, and what threads do to it: the base of Mbarrier and LoadBarrierOf.
//
// All but the plain arrival is in <tma/device/barrier_forms.hpp>. Orders: core/scope.hpp. Scope::block is for threads of
// this block that wait; another block's arrive by `cluster.peer(barrier, rank)`.
template <class Barrier, int Arrivals> class BarrierWord {
public:
  static constexpr int arrivals = Arrivals;

#if TMA_HAS_DEVICE
  /// One arrival by the calling thread. Its earlier accesses are ordered before the return of every wait for this
  /// phase (mbarrier.arrive, release at block scope).
  TMA_DEVICE void arrive() {
    static_assert(check_arrivals());
    ptx::mbarrier_arrive(BarrierAccess::address(*this));
  }

  /// The same by an instruction that releases at `S`, or not at all: `barrier.arrive<tma::Order::relaxed>()`.
  template <Order O, Scope S = Scope::block> TMA_DEVICE void arrive() {
    static_assert(check_arrivals());
    if constexpr (has_forms<O, S>()) BarrierForms<O, S>::arrive(BarrierAccess::address(*this));
  }

  /// `count` arrivals at once, 1 to what the phase still expects.
  template <Order O = Order::ordered, Scope S = Scope::block> TMA_DEVICE void arrive(Int32 count) {
    static_assert(check_arrivals());
    if constexpr (has_forms<O, S>()) BarrierForms<O, S>::arrive(BarrierAccess::address(*this), count, Arrivals);
  }

  /// `count` arrivals, and a token of the phase they are of: `auto token = barrier.arrive_token()`, later `token.wait()`.
  template <Order O = Order::ordered, Scope S = Scope::block> [[nodiscard]] TMA_DEVICE auto arrive_token(Int32 count = 1) {
    static_assert(check_arrivals());
    if constexpr (has_forms<O, S>()) return BarrierForms<O, S>::token(self(), count);
  }

  /// `count` arrivals, which later phases do not expect any more: the calling thread has done its part for good.
  template <Order O = Order::ordered, Scope S = Scope::block> TMA_DEVICE void arrive_drop(Int32 count = 1) {
    static_assert(check_arrivals());
    if constexpr (has_forms<O, S>()) BarrierForms<O, S>::arrive_drop(BarrierAccess::address(*this), count, Arrivals);
  }

  /// The same with a token.
  template <Order O = Order::ordered, Scope S = Scope::block>
  [[nodiscard]] TMA_DEVICE auto arrive_drop_token(Int32 count = 1) {
    static_assert(check_arrivals());
    if constexpr (has_forms<O, S>()) return BarrierForms<O, S>::drop_token(self(), count);
  }

  /// `count` arrivals that do not complete the phase, which the caller knows: others are still to come. It is undefined
  /// otherwise (mbarrier.arrive.noComplete).
  template <Order O = Order::ordered> [[nodiscard]] TMA_DEVICE auto arrive_no_complete(Int32 count = 1) {
    static_assert(check_arrivals());
    static_assert(O == Order::ordered, "tma: mbarrier.arrive.noComplete releases at block scope and has no other form");
    if constexpr (has_forms<O, Scope::block>()) return BarrierForms<O, Scope::block>::no_complete_token(self(), count);
  }

  /// The same, and not expected in later phases.
  template <Order O = Order::ordered> [[nodiscard]] TMA_DEVICE auto arrive_drop_no_complete(Int32 count = 1) {
    static_assert(check_arrivals());
    static_assert(O == Order::ordered, "tma: mbarrier.arrive_drop.noComplete releases at block scope and has no other form");
    if constexpr (has_forms<O, Scope::block>()) return BarrierForms<O, Scope::block>::drop_no_complete_token(self(), count);
  }

  /// One of the phase's arrivals, made when the calling thread's earlier `cp.async` copies (`__pipeline_memcpy_async`, which
  /// are not the copy engine's) have written. Does not wait.
  template <Order O = Order::ordered> TMA_DEVICE void arrive_after_cp_async() {
    static_assert(check_arrivals());
    if constexpr (has_forms<O, Scope::block>())
      BarrierForms<O, Scope::block>::arrive_after_cp_async(BarrierAccess::address(*this));
  }

  /// The same beside the arrivals that the phase expects anyway: it then completes after those copies as well.
  template <Order O = Order::ordered> TMA_DEVICE void wait_also_for_cp_async() {
    static_assert(check_arrivals());
    if constexpr (has_forms<O, Scope::block>())
      BarrierForms<O, Scope::block>::wait_also_for_cp_async(BarrierAccess::address(*this));
  }

  template <class Never = void> TMA_DEVICE void wait() const { refuse_wait<Never>(); }
#endif

private:
  friend struct BarrierAccess;

#if TMA_HAS_DEVICE
  static TMA_HOST_DEVICE constexpr bool check_arrivals() {
    static_assert(
        !is_load_barrier_v<Barrier> || Arrivals > 1,
        "tma: the one arrival of a LoadBarrier is that of the loads, which make it with their bytes. Where threads "
        "arrive as well, say how many arrivals a phase has: tma::LoadBarrierOf<1 + threads>");
    return true;
  }
  TMA_DEVICE Barrier& self() { return static_cast<Barrier&>(*this); }
#endif

  u64 word_;
};

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
