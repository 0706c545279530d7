#pragma once

#include "../core/prologue.hpp"

#include "../core/pack.hpp"
#include "group.hpp"
#include "load_barrier.hpp"
#include "mbarrier.hpp"
#include "mbarrier_phase.hpp"

namespace tma::inline TMA_ABI {

namespace detail {
struct BlockAccess;
}

/// The calling thread's view of its block, from `tma::this_block(...)`. `Threads` is the block's size where the kernel
/// is written for one (loops over tiles then unroll), 0 where it runs with any.
template <int Threads = 0> class Block : public ThreadGroup<Block<Threads>, Threads> {
  // What the compiler prints where a block is copied or made by hand.
  using a_group_is_one_threads_view__pass_it_by_reference = Block;
  struct a_block_comes_from_this_block {};

public:
  Block(const a_group_is_one_threads_view__pass_it_by_reference&)            = delete;
  Block& operator=(const a_group_is_one_threads_view__pass_it_by_reference&) = delete;

  /// All threads. They meet; their earlier writes are visible to all (`__syncthreads`).
  TMA_DEVICE void sync() const { ptx::sync_block(); }

#if defined(TMA_DETAIL_WATCHED)
  TMA_DEVICE ~Block() {
    if (entered_) detail::notes::leave_block();
  }
#endif

private:
  friend struct detail::BlockAccess;
#if defined(TMA_DETAIL_WATCHED)
  bool entered_ = false;  // it is one of the threads of which the last to leave looks for loads on their way
#endif
  TMA_DEVICE explicit Block(a_block_comes_from_this_block = {}, [[maybe_unused]] bool entered = false)
      : ThreadGroup<Block, Threads>(ptx::thread_rank()) {
#if defined(TMA_DETAIL_WATCHED)
    entered_ = entered;
#endif
    if constexpr (detail::checked && Threads > 0)
      detail::check(
          ptx::block_threads() == Threads,
          "this kernel is written for another block size: it must be launched with the threads that this_block<Threads>() "
          "names. Fix: .block = Threads; threads of the launch",
          ptx::block_threads());
  }
};

namespace detail {

struct BlockAccess {
  template <int Threads> static TMA_DEVICE Block<Threads> make(bool entered = false) { return Block<Threads>({}, entered); }

  // Before the meeting that lets the barriers be used.
  template <class... Barriers> static TMA_DEVICE void enter([[maybe_unused]] Barriers&... barriers) {
#if defined(TMA_DETAIL_WATCHED)
    if (ptx::thread_rank() == 0) (notes::marked(BarrierAccess::address(barriers), notes::of_block), ...);
    notes::enter_block();
#endif
  }
};

}  // namespace detail

/// All threads, once, before any of `barriers` is used. Initialises the barriers (of a `struct` from `tma::shared`),
/// makes that visible to the copy engine, and lets the block meet.
///
///     auto block = tma::this_block();                       // no barrier: no meeting either
///     auto [block, arrived] = tma::this_block(barrier);     // and this thread's phase of each barrier
///
/// `this_block<256>(...)` is for a kernel that is only launched with blocks of 256 threads. Any block works: 1 to 1024
/// threads, whole warps or not, one to three dimensions.
template <int Threads = 0, class... Barriers> TMA_DEVICE auto this_block(Barriers&... barriers) {
  constexpr bool barriers_only = (detail::is_barrier_v<Barriers> && ...);
  static_assert(detail::own_barriers<Barriers...>());
  static_assert(barriers_only || (detail::is_peer_v<Barriers> || ...),
                "tma::this_block: takes tma::LoadBarrier and tma::Mbarrier objects in shared memory, and "
                "nothing else");
  if constexpr (sizeof...(Barriers) == 0 || !barriers_only) {
    return detail::BlockAccess::make<Threads>();
  } else {
    if (ptx::thread_rank() == 0) {
      (detail::BarrierAccess::init(barriers), ...);
      ptx::fence_mbarrier_init();
    }
    detail::BlockAccess::enter(barriers...);
    ptx::sync_block();
    return detail::Pack<Block<Threads>, MbarrierPhase<Barriers>...>{{detail::BlockAccess::make<Threads>(true)},
                                                                    {detail::BarrierAccess::first_phase(barriers)}...};
  }
}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
