// The end of a ring in a checked build: the last thread to leave it looks for stages that were filled and not used.
#pragma once

#include "instructions.hpp"

#if defined(TMA_DETAIL_WATCHED)

namespace tma::detail::notes {

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
    const Barrier* const b = find(t, address, false);
    if (ptx::is_phase_over(address, 0) != ptx::is_phase_over(other, 0))
      fail(b, address,
           "the pipeline ends with a stage that was filled and not used: its consumers take as many steps as its producer, "
           "or "
           "skip what is left, for a load that is still on its way writes into another block's shared memory; the stage",
           s);
    if (b && b->issued > 0 && !ptx::is_phase_over(address, b->parity))
      fail(
          b, address,
          "the pipeline ends with a load on its way, which will write into another block's shared memory: its producers all "
          "take the same number of steps; bytes",
          b->issued);
  }
  // What lies there afterwards is no barrier.
  for (int s = 0; s < 2 * stages; ++s)
    if (Barrier* const b = find(t, (s < stages ? full : empty) + u32(s % stages) * u32(sizeof(u64)), false)) b->flags = 0;
}

}  // namespace tma::detail::notes

#endif  // TMA_DETAIL_WATCHED
