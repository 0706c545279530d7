// Copies by threads, which are not the copy engine's: cp.async, from sm_80 on. Each thread has its own; what completes them for
// others is an arrival.
#pragma once

#include "../core/prologue.hpp"

#include "ptx.hpp"

namespace tma::inline TMA_ABI::ptx {

/// Copies the first `source_bytes` of `Bytes` to shared memory, and zeros after them. Both places are multiples of `Bytes`; no
/// byte is read beyond `source_bytes`. Sixteen bytes at once go past the first-level cache.
template <int Bytes> TMA_DEVICE void cp_async(u32 shared, const void* global, u32 source_bytes) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "tma: cp.async copies 4, 8 or 16 bytes");
  if constexpr (Bytes == 16)
    TMA_DETAIL_ASM_80("cp.async.cg.shared::cta.global [%0], [%1], 16, %2;" ::"r"(shared),
                      "l"(__cvta_generic_to_global(global)), "r"(source_bytes) : "memory");
  else
    TMA_DETAIL_ASM_80("cp.async.ca.shared::cta.global [%0], [%1], %2, %3;" ::"r"(shared),
                      "l"(__cvta_generic_to_global(global)), "n"(Bytes), "r"(source_bytes) : "memory");
}

// --- arrivals by this thread's earlier cp.async copies, when they are done --------------------------------------------

/// Beside the arrivals that the barrier was initialised with.
TMA_DEVICE void cp_async_mbarrier_arrive(u32 barrier) {
  TMA_DETAIL_ASM_80("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

/// One of them.
TMA_DEVICE void cp_async_mbarrier_arrive_noinc(u32 barrier) {
  TMA_DETAIL_NOTE(arrivals(barrier, 1, 0));
  TMA_DETAIL_ASM_80("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"
