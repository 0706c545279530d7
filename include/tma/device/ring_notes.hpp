// A ring in a checked build: how many steps its two sides have taken, and its end, where the last thread to leave it looks for
// stages that were filled and not used.
#pragma once

#include "../core/prologue.hpp"

#include "instructions.hpp"

#if defined(TMA_DETAIL_WATCHED)

namespace tma::inline TMA_ABI::detail::notes {

inline constexpr u32 one_thread = 1u << 16;  // above the flags of a ring's first barrier

// By one thread, before the block meets: each thread of it will leave the ring.
TMA_DETAIL_OUTLINED void enter_ring(u32 full) { marked(full, ptx::block_threads() * one_thread); }

// What has become of the ring that a barrier is of: `describe` says which of how many it is, and the others lie beside it.
struct RingSteps {
  u32  stages = 0;  // 0: the barrier is of no ring
  u32  full   = 0;  // the address of its first barrier
  u32  filled = 0, used = 0;
  bool in_place = false;
};
TMA_DETAIL_OUTLINED RingSteps ring_steps(Table& t, const Barrier* of) {
  RingSteps r;
  if (!of || !of->name || of->b <= 0) return r;
  const u32  stages = u32(of->b);
  const bool fills  = of->name[0] == 'f';
  r.full            = address_of(*of) - 8 * u32(of->a) - (fills ? 0 : 8 * stages);
  for (u32 s = 0; s < 2 * stages; ++s) {
    const Barrier* const b = find(t, r.full + 8 * s, false);
    if (!b || !b->name || !(b->flags & live) || u32(b->b) != stages) return RingSteps();
    const bool over  = ptx::is_phase_over(address_of(*b), b->parity);
    u32&       count = s < stages ? r.filled : r.used;
    count += b->phases + over;
    if (s < stages && !over && b->made >= b->expected) count += 1;  // its bytes are on their way
    if (s == stages) r.in_place = b->name[0] == 'd';
  }
  r.stages = stages;
  return r;
}

TMA_DETAIL_OUTLINED bool is_filler(const Warp& w) { return w.role && (w.role[0] == 'p' || w.role[0] == 'm'); }
// A consumer that has left before the others is counted no longer: Consumer::leave names its role anew.
TMA_DETAIL_OUTLINED bool has_left_early(const Warp& w) { return w.role && w.role[0] == 'c' && w.role[8] == ' '; }

// Of the warps on one side of a ring: how many there are, and how many do nothing more with it.
struct RingSide {
  u32 warps = 0, done = 0;
  u32 which = 0;  // that are done
};
TMA_DETAIL_OUTLINED RingSide ring_side(const Table& t, u32 full, bool fillers) {
  RingSide  side;
  const u32 threads   = ptx::block_threads();
  bool      has_roles = false;  // then a warp without one has nothing to do with the ring
  for (const Warp& w : t.warp) has_roles = has_roles || w.role;
  for (u32 w = 0; w < 32 && w * 32 < threads; ++w) {
    const Warp& warp = t.warp[w];
    if (is_filler(warp) != fillers || has_left_early(warp) || (has_roles && !warp.role)) continue;
    const u32 lanes = threads - w * 32 < 32 ? threads - w * 32 : 32;
    side.warps += 1;
    if (warp.ring == (full | 1) && warp.left >= lanes) side.done += 1, side.which |= 1u << w;
  }
  return side;
}

TMA_DETAIL_OUTLINED void say_steps(const RingSteps& r) {
  report::text(r.in_place ? "the mover has filled " : "the producer has filled ");
  report::number(r.filled);
  report::text(r.filled == 1 ? " stage and the " : " stages and the ");
  report::text(r.in_place ? "workers have changed " : "consumers have used ");
  report::number(r.used);
}

// Both sides of a ring must take the same number of steps. Whether that is why a wait for `b` has not ended: one side has taken
// its last step, and the other goes on.
TMA_DETAIL_OUTLINED bool say_unequal_steps(Table& t, const Barrier* b, bool of_this_phase, const RingSteps& r) {
  if (r.stages == 0) return false;
  bool waits_full = b->name[0] == 'f';
  if (waits_full && of_this_phase && b->made > 0) return false;  // somebody has begun the step
  RingSide others = ring_side(t, r.full, waits_full);
  if (waits_full && others.done < others.warps) {
    // The one who fills goes on: does it wait for a stage that somebody has stopped to free?
    const u32 first = r.full + 8 * r.stages;
    b               = nullptr;
    for (const Warp& w : t.warp)
      if (!b && is_filler(w) && w.waits > first && w.waits < first + 8 * r.stages) {
        b             = find(t, w.waits & ~1u, false);
        of_this_phase = b && b->parity == w.parity;
      }
    if (!b) return false;
    waits_full = false;
    others     = ring_side(t, r.full, false);
  }
  if (others.done == 0) return false;
  if (of_this_phase && (others.which & ~b->warps) == 0) return false;  // they have arrived, and others have not
  report::text("the two sides of the ring take different numbers of steps: ");
  say_steps(r);
  if (waits_full) {
    report::text(r.in_place ? "; the mover has taken its last step, and the workers go on"
                            : "; the producer has taken its last step, and the consumers go on");
  } else {
    report::text("; ");
    report::number(others.done);
    report::text(" of ");
    report::number(others.warps);
    report::text(r.in_place ? " working warps have taken their last step, and the mover goes on"
                            : " consuming warps have taken their last step, and the producer goes on");
  }
  report::text(". Both must take the same number. Fix: compute the number once, before the roles part");
  report::text(r.in_place ? "" : ", or send the end along (tma::Meta); consumers that stop early skip what is left");
  return true;
}

[[noreturn]] TMA_DETAIL_OUTLINED void not_used(Table& t, const Barrier* b, u32 address, int stage) {
  const RingSteps r = ring_steps(t, b);
  report::begin();
  report::text("tma: ");
  report::who();
  report::text(": ");
  name(b, address);
  report::text(": the pipeline ends with a stage that was filled and not used");
  if (r.stages > 0) report::text(": "), say_steps(r);
  report::text(
      ". Both sides must take the same number of steps, or a load on its way writes into another block's memory. Fix: "
      "let the consumers take as many steps as the producer, or skip what is left (consumer.skip); the stage (found ");
  report::number(stage);
  report::text(")\n");
  report::end();
}

// Each thread, which does nothing more with the ring. Of a stage that was filled and freed both barriers are in the same phase.
TMA_DETAIL_OUTLINED void leave_ring(u32 full, u32 empty, int stages) {
  Table& t = table();
  Warp&  w = t.warp[ptx::thread_rank() / 32 & 31];
  ptx::one_by_one([&] {
    if (w.ring != (full | 1)) w.ring = full | 1, w.left = 0;
    atomicAdd(&w.left, 1u);
  });
  Barrier* const first = find(t, full, false);
  if (!first || first->flags < one_thread || atomicSub(&first->flags, one_thread) >= 2 * one_thread) return;
  for (int s = 0; s < stages; ++s) {
    const u32            address = full + u32(s) * u32(sizeof(u64)), other = empty + u32(s) * u32(sizeof(u64));
    const Barrier* const b     = find(t, address, false);
    const bool           flies = b && b->issued > 0 && !ptx::is_phase_over(address, b->parity);
    if ((flies && b->made >= b->expected) || ptx::is_phase_over(address, 0) != ptx::is_phase_over(other, 0))
      not_used(t, b, address, s);
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

namespace tma::inline TMA_ABI::ptx {

/// Each thread of the block, which does nothing more with the ring whose first barriers these are.
TMA_DEVICE void leave_ring(const void* full, const void* empty, int stages) {
  detail::notes::leave_ring(shared_address(full), shared_address(empty), stages);
}

}  // namespace tma::inline TMA_ABI::ptx

#endif  // TMA_DETAIL_WATCHED

#include "../core/epilogue.hpp"
