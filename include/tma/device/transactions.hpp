// For those who count a barrier's bytes themselves. A load, a batch and a send do so on their own, and `issuer.expect` for
// what comes from elsewhere.
#pragma once

#include "../core/prologue.hpp"

#include "mbarrier_phase.hpp"
#include "peer.hpp"

namespace tma::inline TMA_ABI {
namespace detail {

// `Barrier` is a LoadBarrierOf, its phase, or its peer; `local` and `remote` are the two instructions.
template <class Barrier, class Local, class Remote>
TMA_DEVICE void change_bytes(const Barrier& barrier, u32 bytes, Local local, Remote remote) {
  if constexpr (checked)
    check(bytes < (1u << 20), "a phase counts at most 1048575 bytes, and must not expect more. Fix: several barriers; bytes",
          bytes);
  if constexpr (is_load_barrier_v<Barrier>) {
    local(BarrierAccess::address(barrier), bytes);
  } else if constexpr (is_load_phase_v<Barrier>) {
    local(BarrierAccess::address(barrier.barrier()), bytes);
  } else if constexpr (is_peer_v<Barrier>) {
    static_assert(is_load_barrier_v<typename Barrier::object>, "tma: bytes are counted by a tma::LoadBarrier");
    remote(PeerAccess::address(barrier), bytes);
  } else {
    static_assert(always_false<Barrier>, "tma: bytes are counted by a tma::LoadBarrier, its phase, or its peer");
  }
}

}  // namespace detail

/// Raises what the current phase of `barrier` waits for by `bytes`, without an arrival. Any thread, while the phase has an
/// arrival to come (its own, at best): a phase that completes before counts them in the next. At most 2^20 - 1 bytes may be
/// under way in a phase. Orders nothing (mbarrier.expect_tx.relaxed).
template <class Barrier> TMA_DEVICE void expect_bytes(const Barrier& barrier, detail::u32 bytes) {
  detail::change_bytes(
      barrier, bytes, [](detail::u32 a, detail::u32 n) { ptx::mbarrier_expect_tx<Scope::block>(a, n); },
      [](detail::u32 a, detail::u32 n) { ptx::mbarrier_expect_tx_peer(a, n); });
}

/// Counts `bytes` as arrived, as the engine does after a copy: for a thread that brings in another way what was expected of
/// a copy. Orders nothing: publish what was written by an arrival (mbarrier.complete_tx.relaxed).
template <class Barrier> TMA_DEVICE void complete_bytes(const Barrier& barrier, detail::u32 bytes) {
  detail::change_bytes(
      barrier, bytes, [](detail::u32 a, detail::u32 n) { ptx::mbarrier_complete_tx<Scope::block>(a, n); },
      [](detail::u32 a, detail::u32 n) { ptx::mbarrier_complete_tx_peer(a, n); });
}

}  // namespace tma::inline TMA_ABI

#include "../core/epilogue.hpp"
