#pragma once

#include "../core/prologue.hpp"

#include "instructions.hpp"

#include TMA_DETAIL_PTX(_launch)

namespace tma::inline TMA_ABI {

/// Orders what the warpgroup's threads did to registers, and to shared memory they read, before its next wgmma.mma_async
/// on them. All four warps, none diverged. A tile that a load brought needs no other fence; one that threads wrote is
/// published first (`block.publish`). sm_90a alone (wgmma.fence.sync.aligned).
template <class Never = void> TMA_DEVICE void wgmma_fence() { ptx::wgmma_fence<Never>(); }

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
