// How long a wait may take: in a checked build TMA_CHECKED_SECONDS, then it says what is known and ends the kernel; else as
// long as it does.
#pragma once

#include "../core/prologue.hpp"

#include "ring_notes.hpp"

namespace tma::inline TMA_ABI::detail {

inline constexpr u32 any_parity = 2;  // of a wait by a token, which has none

#if !defined(TMA_DETAIL_WATCHED)

// while (!done) wait.again();
struct BoundedWait {
  TMA_DEVICE      BoundedWait(u32, u32) {}
  TMA_DEVICE void again() const {}
};

// A wait by itself, or a question, has found the phase completed.
TMA_DEVICE bool note_completed(u32, u32, bool completed) { return completed; }

#else

namespace notes {

inline constexpr u64 longest_wait = u64(double(TMA_CHECKED_SECONDS) * 1e9);
static_assert(longest_wait > 0, "tma: TMA_CHECKED_SECONDS is above 0");

TMA_DETAIL_OUTLINED void made_of_expected(const Barrier& b, u32 made) {
  report::number(made);
  report::text(" of ");
  report::number(b.expected);
  report::text(b.expected == 1 ? " arrival made" : " arrivals made");
}

TMA_DETAIL_OUTLINED void warps(u32 mask) {
  for (u32 warp = 0, n = 0; warp < 32; ++warp) {
    if (!((mask >> warp) & 1)) continue;
    report::text(n++ == 0 ? (mask & (mask - 1) ? " by warps " : " by warp ") : ", ");
    report::number(warp);
  }
}

TMA_DETAIL_OUTLINED void role(const char* role) {
  if (!role) return;
  report::text(" (");
  report::text(role);
  report::letter(')');
}

// The first other warp that waits for another barrier: what keeps one that does not come.
TMA_DETAIL_OUTLINED const Warp* held_up(const Table& t, u32 key) {
  for (const Warp& w : t.warp)
    if (w.waits != 0 && w.waits != key) return &w;
  return nullptr;
}

TMA_DETAIL_OUTLINED void likely_cause(Table& t, const Barrier* b, bool of_this_phase, const RingSteps& ring) {
  const Warp* const other = held_up(t, b ? b->key : 0);
  if (say_unequal_steps(t, b, of_this_phase, ring)) return;
  if (!b || (b->flags & foreign)) {
    report::text("not known: there are no notes of this barrier");
  } else if (!of_this_phase || (b->made == 0 && b->armed == 0 && b->copies == 0)) {
    const bool loads = (b->flags & of_loads) != 0;
    report::text(loads ? "nobody armed this phase: no load, batch or expect was issued for it"
                       : "nobody arrived in this phase");
    if (other) report::text(", and the warp that should waits itself, for another barrier (below)");
    else
      report::text(loads ? "; is a load left out, or does this thread wait once too often?"
                         : "; is a release or an arrive() left out, or does this thread wait once too often?");
  } else if (b->made < b->expected) {
    report::number(b->expected - b->made);
    report::text(" of ");
    report::number(b->expected);
    report::text(b->expected == 1 ? " arrival not made: " : " arrivals not made: ");
    report::text(b->flags & of_loads ? "a producer, or a warp of one, that does not take this step"
                                     : "a forgotten release or arrive()");
    if (b->copies > 0) report::text(", or a batch that has not ended");
    if (other) report::text("; or the warp that should waits itself (below)");
  } else if (b->armed > b->issued) {
    report::text("armed ");
    report::number(b->armed);
    report::text(" B, copies issued ");
    report::number(b->issued);
    report::text(" B: the rest was announced (expect), and no copy of this block brings it");
    if (ptx::blocks_in_cluster() > 1) report::text("; does another block's multicast or send name this one?");
  } else if (b->armed < b->issued) {
    report::text("armed ");
    report::number(b->armed);
    report::text(" B, copies issued ");
    report::number(b->issued);
    report::text(" B: some were issued behind the batch's back");
  } else {
    report::text(
        "all arrivals are made and every byte is issued, and not all have landed: is a descriptor or a tensor in use "
        "that was freed or changed, or was the barrier written over?");
  }
}

// What the barrier itself counts, whoever did it; it is of no use after. Its word is read as an H200 has it, and shown as it is
// where it does not agree with what is known.
TMA_DETAIL_OUTLINED void in_hardware(const Barrier& b, u32 barrier, u32 parity, u32 armed) {
  const u64 word        = ptx::last_barrier_word(barrier);
  const u32 expected    = u32(0 - (word >> 1)) & 0xfffff;
  const u32 pending     = u32(0 - (word >> 43)) & 0xfffff;
  const int outstanding = -(int(u32(word >> 21) << 11) >> 11), landed = int(armed) - outstanding;
  report::text("\n  in hardware: ");
  if (expected != b.expected - b.dropped || (parity != any_parity && u32(word >> 63) != parity)) {
    report::text("the word ");
    report::address(word);
    return;
  }
  report::number(pending);
  report::text(" of ");
  report::number(expected);
  report::text(expected == 1 ? " arrival pending" : " arrivals pending");
  if (armed == 0 && outstanding == 0) return;
  report::text("; bytes: ");
  if (landed >= 0) {  // else others have armed some
    report::number(armed);
    report::text(" armed, ");
    report::number(landed);
    report::text(" landed, ");
  }
  report::number(outstanding < 0 ? -outstanding : outstanding);
  report::text(outstanding < 0 ? " not armed yet" : " outstanding");
}

[[noreturn]] TMA_DETAIL_OUTLINED void waited_too_long(u32 barrier, u32 parity) {
  report::begin();
  Table&          t             = table();
  Barrier* const  b             = find(t, barrier, false);
  const bool      of_this_phase = b && (parity == any_parity || b->parity == parity);
  const u32       own           = ptx::thread_rank() / 32 & 31;
  const RingSteps ring          = ring_steps(t, b);  // while its barriers can be asked
  report::text("tma: ");
  report::who();
  role(t.warp[own].role);
  report::text(" waited more than ");
  report::number(longest_wait / 1000000);
  report::text(" ms for ");
  name(b, barrier);
  report::text("\n  phase wanted: ");
  if (parity == any_parity) report::text("that of a token");
  else report::text("parity "), report::number(parity);
  if (b && of_this_phase && b->phases > 0) {
    report::text(", after at least ");
    report::number(b->phases);
    report::text(b->phases == 1 ? " other" : " others");
  }
  if (b) {
    report::text("\n  arrivals: ");
    made_of_expected(*b, of_this_phase ? b->made : 0);
    if (of_this_phase) warps(b->warps);
    if (ptx::blocks_in_cluster() > 1) report::text("; those of other blocks are not counted here");
    report::text("\n  bytes: ");
    report::number(of_this_phase ? b->armed : 0);
    report::text(" armed, ");
    report::number(of_this_phase ? b->issued : 0);
    report::text(" issued in ");
    report::number(of_this_phase ? b->copies : 0);
    report::text(of_this_phase && b->copies == 1 ? " copy" : " copies");
    if (of_this_phase && b->issuer > 0) {
      report::text(" by thread ");
      report::number(b->issuer - 1);
    }
  }
  if (b && (b->flags & (live | foreign)) == live) in_hardware(*b, barrier, parity, of_this_phase ? b->armed : 0);
  if (ring.stages > 0) report::text("\n  steps: "), say_steps(ring);
  report::text("\n  likely cause: ");
  likely_cause(t, b, of_this_phase, ring);
  for (u32 warp = 0; warp < 32; ++warp) {
    const Warp& w = t.warp[warp];
    if (w.waits == 0 || warp == own) continue;
    report::text("\n  also waiting: warp ");
    report::number(warp);
    role(w.role);
    report::text(" for ");
    const Barrier* const its = find(t, w.waits & ~1u, false);
    name(its, w.waits & ~1u);
    if (w.parity != any_parity) report::text(", parity "), report::number(w.parity);
    if (its && its->parity == w.parity) {
      report::text(": ");
      made_of_expected(*its, its->made);
      warps(its->warps);
    }
  }
  report::letter('\n');
  report::end();
}

// What a warp waits for, for the reports of others; 0: for nothing.
TMA_DETAIL_OUTLINED void waits_for(u32 key, u32 parity) {
  Warp& w                               = table().warp[ptx::thread_rank() / 32 & 31];
  *const_cast<volatile u32*>(&w.parity) = parity;
  *const_cast<volatile u32*>(&w.waits)  = key;
}

}  // namespace notes

class BoundedWait {
public:
  TMA_DEVICE BoundedWait(u32 barrier, u32 parity) : barrier_(barrier), parity_(parity & 3) { notes::used(barrier); }
  BoundedWait(const BoundedWait&)            = delete;
  BoundedWait& operator=(const BoundedWait&) = delete;
  TMA_DEVICE ~BoundedWait() {
    if (start_ != 0) notes::waits_for(0, 0);
    notes::waited(barrier_, parity_);
  }

  TMA_DEVICE void again() {
    if (start_ == 0) {
      start_ = ptx::nanoseconds() | 1;
      notes::waits_for(barrier_ | 1, parity_);
    } else if (ptx::nanoseconds() - start_ > notes::longest_wait && ptx::nanoseconds() > start_) {
      notes::waited_too_long(barrier_, parity_);
    }
  }

private:
  u32 barrier_, parity_;
  u64 start_ = 0;
};

TMA_DEVICE bool note_completed(u32 barrier, u32 parity, bool completed) {
  if (completed) notes::waited(barrier, parity & 1);
  return completed;
}

#endif

}  // namespace tma::inline TMA_ABI::detail

#include "../core/epilogue.hpp"
