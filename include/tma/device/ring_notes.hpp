// The end of a ring in a checked build: the last thread to leave it looks for stages that were filled and not used.
#pragma once

#include "../core/prologue.hpp"

#include "instructions.hpp"

#if defined(TMA_DETAIL_WATCHED)

namespace tma::inline TMA_ABI::detail::notes {

inline constexpr u32 one_thread = 1u << 16;  // above the flags of a ring's first barrier

// By one thread, before the block meets: each thread of it will leave the ring.
TMA_DETAIL_OUTLINED void enter_ring(u32 full) { marked(full, ptx::block_threads() * one_thread); }

// Each thread, which does nothing more with the ring. Of a stage that was filled and freed both barriers are in the same phase.
TMA_DETAIL_OUTLINED void leave_ring(u32 full, u32 empty, int stages) {
  Table&         t     = table();
  Barrier* const first = find(t, full, false);
  if (!first || first->flags < one_thread || atomicSub(&first->flags, one_thread) >= 2 * one_thread) return;
  for (int s = 0; s < stages; ++s) {
    const u32            address = full + u32(s) * u32(sizeof(u64)), other = empty + u32(s) * u32(sizeof(u64));
    const Barrier* const b     = find(t, address, false);
    const bool           flies = b && b->issued > 0 && !ptx::is_phase_over(address, b->parity);
    if ((flies && b->made >= b->expected) || ptx::is_phase_over(address, 0) != ptx::is_phase_over(other, 0))
      fail(b, address,
           "the pipeline ends with a stage that was filled and not used: a load on its way writes into another block's "
           "memory. Consumers take as many steps as the producer, or skip what is left; the stage",
           s);
    if (flies)
      fail(b, address,
           "the pipeline ends with a load on its way, which will write into another block's memory: all of its producers "
           "take the same number of steps; the stage",
           s);
  }
  // What lies there afterwards is no barrier.
  for (int s = 0; s < 2 * stages; ++s)
    if (Barrier* const b = find(t, (s < stages ? full : empty) + u32(s % stages) * u32(sizeof(u64)), false)) b->flags = 0;
}

}  // namespace tma::inline TMA_ABI::detail::notes

#endif  // TMA_DETAIL_WATCHED

#include "../core/epilogue.hpp"
