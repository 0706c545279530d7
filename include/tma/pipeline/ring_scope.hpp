// Whose threads free a stage of a ring, and how far their arrivals and waits reach.
#pragma once

#include "../core/prologue.hpp"

#if TMA_HAS_DEVICE
#  include "../device/barrier_access.hpp"
#  include "../device/group_arrival.hpp"
#endif

namespace tma::inline TMA_ABI::detail {

// Who shares what a ring's stages hold: the block alone, or blocks of a cluster (cluster_parts.hpp). What differs is how
// many free a stage, and how far their words and waits reach.
template <class Sharing> struct RingScope {
  static constexpr int blocks = 1;  // whose warps free a stage of this block's

#if TMA_HAS_DEVICE
  // All threads, after the barriers are initialised; and before the block leaves.
  static TMA_DEVICE void meet() { ptx::sync_block(); }
  static TMA_DEVICE void part() {}

  template <class Barrier> static TMA_DEVICE void wait(const Barrier& barrier, u32 parity) {
    BarrierAccess::wait(barrier, parity);
  }
  static TMA_DEVICE void fence_refill() { ptx::fence_proxy_async_shared(); }
  static TMA_DEVICE bool is_complete(const u32 barrier, u32 parity) { return ptx::mbarrier_test_wait(barrier, parity); }
  // By a warp of `lanes` lanes.
  static TMA_DEVICE void free(u32 barrier, u32 lane, u32 lanes) {
    ptx::sync_warp();
    GroupArrival::arrive(barrier, lane, lanes);
  }
  // By a group of `threads` threads that meets.
  template <class Meet> static TMA_DEVICE void free_together(u32 barrier, u32 rank, u32 threads, Meet meet) {
    meet();
    GroupArrival::arrive(barrier, rank, threads);
  }
#endif
};

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
