// One arrival for threads that have synchronized.
#pragma once

#include "../core/prologue.hpp"

#include "instructions.hpp"

#if defined(TMA_DETAIL_RACECHECK)
#  include TMA_DETAIL_PTX(_barrier)
#endif

namespace tma::inline TMA_ABI::detail {

// The lanes of the warp of thread `rank`, of `threads` threads: the last warp may have fewer than 32.
TMA_DEVICE u32 warp_lanes(u32 rank, u32 threads) {
  const u32 left = threads - rank / 32 * 32;
  return left < 32 ? left : 32;
}

// By all threads of a warp or group, after it has synchronized. One of them arrives: that is enough, for the arrival orders what
// happened before the synchronization as well (PTX: causality order is transitive).
//
// racecheck of compute-sanitizer orders by an arrival the accesses of the arriving thread alone, and would report those of the
// others as races. With TMA_RACECHECK each of the threads arrives: barriers expect `parts` arrivals where they otherwise expect
// one, and the first thread makes those for which there is no thread.
struct GroupArrival {
#if defined(TMA_DETAIL_RACECHECK)
  static constexpr u32   parts = 1024;
  static TMA_DEVICE void arrive(u32 barrier, u32 rank, u32 threads) {
    ptx::mbarrier_arrive<Order::ordered, Scope::block>(barrier, count(rank, threads));
  }
  static TMA_DEVICE u32 count(u32 rank, u32 threads) { return rank == 0 ? parts - (threads - 1) : 1; }
#else
  static constexpr u32   parts = 1;
  static TMA_DEVICE void arrive(u32 barrier, u32 rank, u32) {
    if (rank == 0) ptx::mbarrier_arrive(barrier);
  }
#endif
};

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
