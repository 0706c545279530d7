// The forms of a barrier's instructions beyond the plain arrival and wait: include it where a barrier is given a count, a
// token, an order, a scope or a time limit, or is invalidated.
#pragma once

#include "../core/prologue.hpp"

#include "arrival_token.hpp"
#include "check.hpp"

namespace tma::inline TMA_ABI {
namespace detail {

template <Order O, Scope S> struct BarrierForms {
  static TMA_DEVICE void check_count([[maybe_unused]] int count, [[maybe_unused]] int arrivals) {
    check(count >= 1 && count <= arrivals,
          "a barrier is given 1 to as many arrivals as a phase has: the count must be that. Fix: arrive with fewer, or make "
          "the "
          "barrier for more; arrivals",
          count);
  }
  static TMA_DEVICE void arrive(u32 barrier) { ptx::mbarrier_arrive<O, S>(barrier); }
  static TMA_DEVICE void arrive(u32 barrier, int count, int arrivals) {
    check_count(count, arrivals);
    ptx::mbarrier_arrive<O, S>(barrier, u32(count));
  }
  static TMA_DEVICE void arrive_drop(u32 barrier, int count, int arrivals) {
    check_count(count, arrivals);
    ptx::mbarrier_arrive_drop<O, S>(barrier, u32(count));
  }
  template <class Barrier> static TMA_DEVICE ArrivalToken<Barrier> token(Barrier& barrier, int count) {
    check_count(count, Barrier::arrivals);
    return {barrier, ptx::mbarrier_arrive_state<O, S>(BarrierAccess::address(barrier), u32(count))};
  }
  template <class Barrier> static TMA_DEVICE ArrivalToken<Barrier> drop_token(Barrier& barrier, int count) {
    check_count(count, Barrier::arrivals);
    return {barrier, ptx::mbarrier_arrive_drop_state<O, S>(BarrierAccess::address(barrier), u32(count))};
  }
  template <class Barrier> static TMA_DEVICE ArrivalToken<Barrier> no_complete_token(Barrier& barrier, int count) {
    check_count(count, Barrier::arrivals - 1);
    return {barrier, ptx::mbarrier_arrive_no_complete(BarrierAccess::address(barrier), u32(count))};
  }
  template <class Barrier> static TMA_DEVICE ArrivalToken<Barrier> drop_no_complete_token(Barrier& barrier, int count) {
    check_count(count, Barrier::arrivals - 1);
    return {barrier, ptx::mbarrier_arrive_drop_no_complete(BarrierAccess::address(barrier), u32(count))};
  }
  static TMA_DEVICE void arrive_after_cp_async(u32 barrier) { ptx::cp_async_mbarrier_arrive_noinc(barrier); }
  static TMA_DEVICE void wait_also_for_cp_async(u32 barrier) { ptx::cp_async_mbarrier_arrive(barrier); }

  static TMA_DEVICE bool test_wait(u32 barrier, u32 parity) { return ptx::mbarrier_test_wait<O, S>(barrier, parity); }
  static TMA_DEVICE bool try_wait(u32 barrier, u32 parity) { return ptx::mbarrier_try_wait<O, S>(barrier, parity); }
  static TMA_DEVICE bool try_wait_for(u32 barrier, u32 parity, u32 nanoseconds) {
    return ptx::mbarrier_try_wait_for<O, S>(barrier, parity, nanoseconds);
  }
  static TMA_DEVICE void fence_copies() { ptx::fence_proxy_async_shared_cluster(); }
};

}  // namespace detail

/// All threads of the block, once nobody waits for `barriers` any more: ends them, so that their bytes may serve
/// another purpose, or be initialised again (PTX asks for mbarrier.inval before either). The block meets before, so that no
/// thread is still in a wait, and after. Phases of these barriers are used up.
template <class BlockT, class... Barriers> TMA_DEVICE void invalidate(const BlockT& block, Barriers&... barriers) {
  constexpr bool barriers_only = (detail::is_barrier_v<Barriers> && ...);
  static_assert(barriers_only && sizeof...(Barriers) > 0, "tma::invalidate: takes the block and its barriers in shared "
                                                          "memory: tma::invalidate(block, barrier, ...)");
  if constexpr (barriers_only) {
    block.sync();
    if (block.rank() == 0) (ptx::mbarrier_inval(detail::BarrierAccess::address(barriers)), ...);
    block.sync();
  }
}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
