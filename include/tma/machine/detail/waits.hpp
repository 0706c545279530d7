// Waits for the phases of an mbarrier.
#pragma once

#include "barriers.hpp"

namespace tma::machine::model {

// What a wait for phase `want` learns.
inline void acquire(Thread& t, Barrier& barrier, i64 want, u32 how) {
  const i64          back = barrier.phase - 1 - want;
  const SnapshotRef &own = barrier.last[back], &wide = barrier.last_wide[back];
  const bool         relaxed = how & rt::how::relaxed, narrow = !(how & rt::how::wide);
  const int          memo = relaxed ? 0 : wide && !narrow ? 1 : 2;
  if (relaxed) {  // a fence may make good for it
    t.seen_by_atomics = t.seen_by_atomics ? joined(t.seen_by_atomics, own) : own;
    if (wide) t.seen_of_peers = t.seen_of_peers ? joined(t.seen_of_peers, wide) : wide;
  }
  if (back == 0 && barrier.memo_from && barrier.memo_from == t.clock.base && barrier.memo_how == memo) {
    t.clock.base = barrier.memo_to;
    return;
  }
  const SnapshotRef before = t.clock.base;
  if (relaxed) t.clock.pass(own);
  else t.clock.learn(own);
  if (wide && (relaxed || narrow)) t.clock.pass(wide);
  else if (wide) t.clock.learn(wide);
  if (back == 0) barrier.memo_from = before, barrier.memo_to = t.clock.base, barrier.memo_how = memo;
}

// try_wait (suspends, and may give up) and test_wait: has the phase of this parity, or of this state, completed?
//
// The hardware knows the parity of the current phase only. The machine knows which phase the thread means: the one after
// the last that it knows to be complete, or, where the parity is that of the last one, that one again.
[[gnu::always_inline]] inline bool wait(Thread& t, u32 address, u64 which, u32 how, const Site& site) {
  const bool suspends = !(how & rt::how::at_once), limited = how & rt::how::limited, by_parity = !(how & rt::how::by_state);
  interleave(t);
  Cluster&     cl      = *t.cluster;
  Launch&      l       = *cl.launch;
  Barrier*     barrier = live_barrier(t, address, "waits for", site);
  const i64    known   = t.clock.passed(barrier->actor);
  const i64    want    = !by_parity ? i64(which >> 20) : (known & 1) == i64(which & 1) ? known : known - 1;
  const double from    = t.time;
  if (barrier->phase <= want) {
    // A wait that suspends may end without an answer, one with a limit always does some time.
    const bool random = l.order == Order::random || l.order == Order::victims;
    u64        polls  = !suspends ? 1 : limited ? 1 + (random ? below(l.random, 4) : 0) : random && below(l.random, 16) == 0;
    const bool ends   = polls > 0;
    for (; polls > 0 && barrier->phase <= want; --polls) {
      remember(t, address + 1);
      poll(t);
    }
    if (ends && barrier->phase <= want) return false;
  }
  while (barrier->phase <= want) {
    barrier->waiters.push_back(&t);
    park(t, Waiting::mbarrier, address, want, site);
  }
  if (barrier->phase - want >= 2) {
    const std::string name = name_of(cl, address), means = by_parity ? format("parity %u", u32(which & 1)) : "its state";
    say(t, Kind::phase_missed, site,
        words(t) + format(" waits for phase %lld of ", static_cast<long long>(want)) + name +
            format(", which is in phase %lld already: ", static_cast<long long>(barrier->phase)) + means +
            " means another phase by now, and the wait " + ((barrier->phase - want) % 2 == 0 ? "hangs" : "ends by luck"),
        name);
    stop(t);
  }
  if (want >= 0) acquire(t, *barrier, want, how);
  // What comes after the wait is a new epoch: the next phase has to be ordered after the wait itself. So has the first one
  // after the wait for the one that a fresh barrier counts as complete.
  if (suspends && barrier->phase - 1 == want) barrier->waits.push_back({t.actor, t.clock.now, site});
  ++t.clock.now;

  t.time += 20;
  if (suspends) span(t, "wait", from, t.time);
  remember(t, address + 2);
  return true;
}

}  // namespace tma::machine::model
