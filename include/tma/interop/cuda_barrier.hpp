// For programs that have libcu++'s barriers: its cuda::barrier of a block's threads is an mbarrier, so that a copy may complete
// on one, and code that takes a cuda::barrier may be given one of the library's. Include <cuda/barrier> costs several times
// what the library does: hence a header of its own, in no umbrella.
#pragma once

#include "../core/prologue.hpp"

#include <cuda/barrier>

#include "../device/barrier_forms.hpp"
#include "../device/load_barrier.hpp"
#include "../device/mbarrier.hpp"
#include "../device/mbarrier_phase.hpp"

namespace tma::inline TMA_ABI {
namespace detail {

using CudaBarrier = cuda::barrier<cuda::thread_scope_block>;

// A checked build knows little of a barrier that others use as well.
TMA_DEVICE void adopt([[maybe_unused]] void* word, [[maybe_unused]] u32 arrivals) {
#if defined(TMA_DETAIL_WATCHED)
  notes::adopted(ptx::shared_address(word), arrivals);
#endif
}

static_assert(sizeof(CudaBarrier) == sizeof(u64) && alignof(CudaBarrier) == alignof(u64),
              "tma: this toolkit's cuda::barrier<cuda::thread_scope_block> is not eight bytes in shared memory");

}  // namespace detail

/// The cuda::barrier as what loads complete on. `Arrivals` is the number it was initialised with (`init(&barrier, Arrivals)`),
/// of which each load or batch makes one, with its bytes; the other threads arrive and wait as they know it:
///
///     auto& full = tma::as_load_barrier<1 + 128>(barrier);
///     if (auto issuer = block.elect()) issuer.load(in, at, tile, full);
///     barrier.wait(barrier.arrive());   // 128 threads
///
/// The barrier lies in shared memory. Its visibility to the copy engine needs no more than the meeting after `init`.
template <int Arrivals>
TMA_DEVICE LoadBarrierOf<Arrivals>& as_load_barrier(cuda::barrier<cuda::thread_scope_block>& barrier) {
  detail::adopt(cuda::device::barrier_native_handle(barrier), Arrivals);
  return *reinterpret_cast<LoadBarrierOf<Arrivals>*>(cuda::device::barrier_native_handle(barrier));
}

/// The same for threads' arrivals: what takes an Mbarrier may be given a cuda::barrier.
template <int Arrivals> TMA_DEVICE Mbarrier<Arrivals>& as_mbarrier(cuda::barrier<cuda::thread_scope_block>& barrier) {
  detail::adopt(cuda::device::barrier_native_handle(barrier), Arrivals);
  return *reinterpret_cast<Mbarrier<Arrivals>*>(cuda::device::barrier_native_handle(barrier));
}

/// The calling thread's first phase of a barrier that the library has not initialised itself. Before the barrier's first
/// phase completes, and once a thread: a second one would drift apart from the first.
template <class Barrier> TMA_DEVICE MbarrierPhase<Barrier> first_phase(Barrier& barrier) {
  static_assert(detail::is_barrier_v<Barrier>,
                "tma::first_phase: takes what tma::as_load_barrier or tma::as_mbarrier returned");
  return detail::BarrierAccess::first_phase(barrier);
}

/// One of the library's barriers, initialised by `tma::this_block`, for code that takes a cuda::barrier. Its threads arrive
/// and wait with tokens or parities as they know it; it is not destroyed there (`tma::invalidate`).
template <class Barrier> TMA_DEVICE cuda::barrier<cuda::thread_scope_block>& as_cuda_barrier(Barrier& barrier) {
  static_assert(detail::is_barrier_v<Barrier>,
                "tma::as_cuda_barrier: takes a tma::Mbarrier or a tma::LoadBarrierOf in shared "
                "memory");
  detail::adopt(&barrier, Barrier::arrivals);
  return reinterpret_cast<detail::CudaBarrier&>(barrier);
}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
