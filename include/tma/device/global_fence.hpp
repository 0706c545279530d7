#pragma once

#include "../core/prologue.hpp"

#include "group.hpp"

#include TMA_DETAIL_PTX(_tensormap)

namespace tma::inline TMA_ABI {

/// All threads of a group that have written global memory with ordinary stores, before one of them tells another block of
/// the same grid so, which then loads it by the copy engine. Every thread fences (fence.proxy.async.global), and the group
/// meets.
///
///     // block 0                                          // block 1
///     for (...) data[i] = ...;                            if (auto issuer = block.elect()) {
///     tma::publish_global(block);                           while (flag.load(cuda::memory_order_acquire) == 0) {}
///     if (block.rank() == 0)                                issuer.load(in, at, tile, arrived);
///       flag.store(1, cuda::memory_order_release);        }
///
/// The flag is an atomic of device scope: released by a thread of the group after this call, acquired by the thread that
/// issues, or by one that it has met since. Without the fence the flag orders ordinary loads alone: the engine reads through
/// another proxy and may find the old bytes. Kernels one after another in a stream need none of this.
template <class Derived, int Threads> TMA_DEVICE void publish_global(const ThreadGroup<Derived, Threads>& group) {
  ptx::fence_proxy_async_global();
  static_cast<const Derived&>(group).sync();
}

/// By the thread that will issue, after it has acquired the flag: for what was written by code that knows nothing of the
/// engine, and for what the engine of another block has stored, whose thread has called `wait_visible` before it released the
/// flag. (A store by this block's engine needs the wait alone.) What `publish_global` has published needs no more.
TMA_DEVICE void acquire_global() { ptx::fence_proxy_async_global(); }

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
