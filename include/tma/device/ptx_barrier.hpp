// Every form of an mbarrier's instructions. What a load and an ordinary arrival need is in ptx.hpp.
//
// A barrier is in the block's own shared memory, except where the name says `peer`: there it is a cluster's address
// (map_shared), nothing is returned, and the scope is the cluster, for the thread that waits is in another block.
#pragma once

#include "../core/prologue.hpp"

#include "ptx_async.hpp"
#include "ptx_words.hpp"

namespace tma::inline TMA_ABI::ptx {

// --- arrivals: `count` of them, and what the barrier was before as a token ------------------------------------------

template <Order O, Scope S> TMA_DEVICE void mbarrier_arrive(u32 barrier) {
  TMA_DETAIL_NOTE(arrivals(barrier, 1, 0));
  TMA_DETAIL_ASM("mbarrier.arrive%1%2.shared::cta.b64 _, [%0];" ::"r"(barrier), "C"(ReleaseText<O>::value),
                 "C"(ScopeText<S>::value) : "memory");
}

template <Order O, Scope S> TMA_DEVICE void mbarrier_arrive(u32 barrier, u32 count) {
  TMA_DETAIL_NOTE(arrivals(barrier, count, 0));
  TMA_DETAIL_ASM("mbarrier.arrive%2%3.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(count), "C"(ReleaseText<O>::value),
                 "C"(ScopeText<S>::value) : "memory");
}

template <Order O, Scope S> TMA_DEVICE u64 mbarrier_arrive_state(u32 barrier, u32 count) {
  TMA_DETAIL_NOTE(arrivals(barrier, count, 0));
  u64 state = 0;
  TMA_DETAIL_ASM("mbarrier.arrive%3%4.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(barrier), "r"(count),
                 "C"(ReleaseText<O>::value), "C"(ScopeText<S>::value) : "memory");
  return state;
}

/// Of a phase that these arrivals do not complete; undefined where they would.
TMA_DEVICE u64 mbarrier_arrive_no_complete(u32 barrier, u32 count) {
  TMA_DETAIL_NOTE(arrivals(barrier, count, 0));
  u64 state = 0;
  TMA_DETAIL_ASM("mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(barrier),
                 "r"(count) : "memory");
  return state;
}

template <Order O, Scope S> TMA_DEVICE void mbarrier_arrive_expect_tx(u32 barrier, u32 bytes) {
  TMA_DETAIL_NOTE(arrivals(barrier, 1, bytes));
  TMA_DETAIL_ASM("mbarrier.arrive.expect_tx%2%3.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes),
                 "C"(ReleaseText<O>::value), "C"(ScopeText<S>::value) : "memory");
}

template <Order O, Scope S> TMA_DEVICE u64 mbarrier_arrive_expect_tx_state(u32 barrier, u32 bytes) {
  TMA_DETAIL_NOTE(arrivals(barrier, 1, bytes));
  u64 state = 0;
  TMA_DETAIL_ASM("mbarrier.arrive.expect_tx%3%4.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(barrier), "r"(bytes),
                 "C"(ReleaseText<O>::value), "C"(ScopeText<S>::value) : "memory");
  return state;
}

/// Arrives, and is not expected in later phases.
template <Order O, Scope S> TMA_DEVICE void mbarrier_arrive_drop(u32 barrier, u32 count) {
  TMA_DETAIL_NOTE(arrivals(barrier, count, 0, true));
  TMA_DETAIL_ASM("mbarrier.arrive_drop%2%3.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(count),
                 "C"(ReleaseText<O>::value), "C"(ScopeText<S>::value) : "memory");
}

template <Order O, Scope S> TMA_DEVICE u64 mbarrier_arrive_drop_state(u32 barrier, u32 count) {
  TMA_DETAIL_NOTE(arrivals(barrier, count, 0, true));
  u64 state = 0;
  TMA_DETAIL_ASM("mbarrier.arrive_drop%3%4.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(barrier), "r"(count),
                 "C"(ReleaseText<O>::value), "C"(ScopeText<S>::value) : "memory");
  return state;
}

TMA_DEVICE u64 mbarrier_arrive_drop_no_complete(u32 barrier, u32 count) {
  TMA_DETAIL_NOTE(arrivals(barrier, count, 0, true));
  u64 state = 0;
  TMA_DETAIL_ASM("mbarrier.arrive_drop.noComplete.release.cta.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(barrier),
                 "r"(count) : "memory");
  return state;
}

template <Order O, Scope S> TMA_DEVICE void mbarrier_arrive_drop_expect_tx(u32 barrier, u32 bytes) {
  TMA_DETAIL_NOTE(arrivals(barrier, 1, bytes, true));
  TMA_DETAIL_ASM("mbarrier.arrive_drop.expect_tx%2%3.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes),
                 "C"(ReleaseText<O>::value), "C"(ScopeText<S>::value) : "memory");
}

/// Arrivals that are still expected in the phase that `state` was taken in.
TMA_DEVICE u32 mbarrier_pending_count(u64 state) {
  u32 count = 0;
  TMA_DETAIL_ASM("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
  return count;
}

// --- bytes without an arrival ---------------------------------------------------------------------------------------

template <Scope S> TMA_DEVICE void mbarrier_expect_tx(u32 barrier, u32 bytes) {
  TMA_DETAIL_NOTE(expects(barrier, bytes));
  TMA_DETAIL_ASM("mbarrier.expect_tx.relaxed%2.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes),
                 "C"(ScopeText<S>::value) : "memory");
}

template <Scope S> TMA_DEVICE void mbarrier_complete_tx(u32 barrier, u32 bytes) {
  TMA_DETAIL_NOTE(completes(barrier, bytes));
  TMA_DETAIL_ASM("mbarrier.complete_tx.relaxed%2.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes),
                 "C"(ScopeText<S>::value) : "memory");
}

// --- the same of another block's barrier ----------------------------------------------------------------------------

template <Order O> TMA_DEVICE void mbarrier_arrive_peer(u32 barrier) {
  TMA_DETAIL_NOTE(peer_arrivals(barrier, 1, 0));
  TMA_DETAIL_ASM("mbarrier.arrive%1.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier),
                 "C"(ReleaseText<O>::value) : "memory");
}

template <Order O> TMA_DEVICE void mbarrier_arrive_peer(u32 barrier, u32 count) {
  TMA_DETAIL_NOTE(peer_arrivals(barrier, count, 0));
  TMA_DETAIL_ASM("mbarrier.arrive%2.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(barrier), "r"(count),
                 "C"(ReleaseText<O>::value) : "memory");
}

template <Order O> TMA_DEVICE void mbarrier_arrive_expect_tx_peer(u32 barrier, u32 bytes) {
  TMA_DETAIL_NOTE(peer_arrivals(barrier, 1, bytes));
  TMA_DETAIL_ASM("mbarrier.arrive.expect_tx%2.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes),
                 "C"(ReleaseText<O>::value) : "memory");
}

template <Order O> TMA_DEVICE void mbarrier_arrive_drop_peer(u32 barrier, u32 count) {
  TMA_DETAIL_NOTE(peer_arrivals(barrier, count, 0, true));
  TMA_DETAIL_ASM("mbarrier.arrive_drop%2.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(barrier), "r"(count),
                 "C"(ReleaseText<O>::value) : "memory");
}

template <Order O> TMA_DEVICE void mbarrier_arrive_drop_expect_tx_peer(u32 barrier, u32 bytes) {
  TMA_DETAIL_NOTE(peer_arrivals(barrier, 1, bytes, true));
  TMA_DETAIL_ASM("mbarrier.arrive_drop.expect_tx%2.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes),
                 "C"(ReleaseText<O>::value) : "memory");
}

TMA_DEVICE void mbarrier_expect_tx_peer(u32 barrier, u32 bytes) {
  TMA_DETAIL_ASM("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

TMA_DEVICE void mbarrier_complete_tx_peer(u32 barrier, u32 bytes) {
  TMA_DETAIL_ASM("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// --- waits: by a token or by parity, at once, suspended, or suspended for about `ns` nanoseconds ----------------------

#define TMA_DETAIL_WAIT(word, more, ...)                                          \
  u32 done = 0;                                                                   \
  TMA_DETAIL_ASM("{\n\t"                                                          \
                 ".reg .pred p;\n\t"                                              \
                 "mbarrier." word "%3%4.shared::cta.b64 p, [%1], %2" more ";\n\t" \
                 "selp.u32 %0, 1, 0, p;\n\t"                                      \
                 "}" : "=r"(done) : "r"(barrier),                                 \
                 __VA_ARGS__ : "memory");                                         \
  return done != 0

template <Order O, Scope S> TMA_DEVICE bool mbarrier_test_wait(u32 barrier, u32 parity) {
  TMA_DETAIL_WAIT("test_wait.parity", "", "r"(parity), "C"(AcquireText<O>::value), "C"(ScopeText<S>::value));
}
template <Order O, Scope S> TMA_DEVICE bool mbarrier_test_wait_state(u32 barrier, u64 state) {
  TMA_DETAIL_WAIT("test_wait", "", "l"(state), "C"(AcquireText<O>::value), "C"(ScopeText<S>::value));
}
template <Order O, Scope S> TMA_DEVICE bool mbarrier_try_wait(u32 barrier, u32 parity) {
  TMA_DETAIL_WAIT("try_wait.parity", "", "r"(parity), "C"(AcquireText<O>::value), "C"(ScopeText<S>::value));
}
template <Order O, Scope S> TMA_DEVICE bool mbarrier_try_wait_state(u32 barrier, u64 state) {
  TMA_DETAIL_WAIT("try_wait", "", "l"(state), "C"(AcquireText<O>::value), "C"(ScopeText<S>::value));
}
template <Order O, Scope S> TMA_DEVICE bool mbarrier_try_wait_for(u32 barrier, u32 parity, u32 ns) {
  TMA_DETAIL_WAIT("try_wait.parity", ", %5", "r"(parity), "C"(AcquireText<O>::value), "C"(ScopeText<S>::value), "r"(ns));
}
template <Order O, Scope S> TMA_DEVICE bool mbarrier_try_wait_state_for(u32 barrier, u64 state, u32 ns) {
  TMA_DETAIL_WAIT("try_wait", ", %5", "l"(state), "C"(AcquireText<O>::value), "C"(ScopeText<S>::value), "r"(ns));
}
#undef TMA_DETAIL_WAIT

/// Orders what this thread has seen of accesses to the shared memory of the cluster before later ones of the copy engine.
TMA_DEVICE void fence_proxy_async_shared_cluster() { TMA_DETAIL_ASM("fence.proxy.async.shared::cluster;" :: : "memory"); }

// --- what orders shared memory alone, between blocks of a cluster -------------------------------------------------------
// An arrival that releases at the scope of a cluster waits until all that the thread has written anywhere can be seen, some
// 300 cycles on an H200; a wait that acquires there empties the first-level cache. A ring has only shared memory to order: a
// fence that is restricted to it, before a relaxed arrival, and another after a relaxed wait, which is no instruction at all.

/// Before arrivals of this thread at other blocks' barriers by `mbarrier_arrive_peer_shared`: what has happened before the
/// fence to its block's shared memory is over before copies that an acquiring thread issues. What other threads did is in it
/// where they have met this one before the fence, and not where they meet it after. (`fence.release.sync_restrict`, which is
/// for threads' accesses alone, is the same machine code.)
TMA_DEVICE void fence_release_shared() {
  TMA_DETAIL_ASM("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;" :: : "memory");
}
/// After a wait by `mbarrier_try_wait_shared`, before this thread's copies into the shared memory of the cluster.
TMA_DEVICE void fence_acquire_shared_for_copies() {
  TMA_DETAIL_ASM("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;" :: : "memory");
}
/// After such a wait, before this thread's own accesses.
TMA_DEVICE void fence_acquire_shared() {
  TMA_DETAIL_ASM("fence.acquire.sync_restrict::shared::cluster.cluster;" :: : "memory");
}

TMA_DEVICE void mbarrier_arrive_peer_shared(u32 barrier) { mbarrier_arrive_peer<Order::relaxed>(barrier); }
TMA_DEVICE bool mbarrier_try_wait_shared(u32 barrier, u32 parity) {
  return mbarrier_try_wait<Order::relaxed, Scope::cluster>(barrier, parity);
}

}  // namespace tma::inline TMA_ABI::ptx

#include "../core/epilogue.hpp"
