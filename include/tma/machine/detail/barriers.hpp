// mbarriers: arrivals, bytes, phases by number, and who waits for which.
#pragma once

#include "checker.hpp"

namespace tma::machine::model {

inline Barrier* live_barrier(Thread& t, u32 address, const char* use, const Site& site) {
  Block& b = *t.block;
  if (address % 8 != 0) {
    say(t, Kind::misaligned_address, site,
        words(t) + format(" %s a barrier at 0x%x, which is no multiple of 8", use, address));
    stop(t);
  }
  const auto found = b.barriers.find(address);
  if (found == b.barriers.end() || !found->second.live) {
    say(t, Kind::barrier_uninitialised, site,
        words(t) + " " + use + " " + name_of(b, address) + ", which nobody has initialised", name_of(b, address));
    stop(t);
  }
  Barrier& barrier = found->second;
  if (t.clock.known(barrier.init_thread) < barrier.init_epoch)
    say(t, Kind::barrier_uninitialised, site,
        words(t) + " " + use + " " + name_of(b, address) +
            format(", and does not know that it is initialised: thread %u did that", barrier.init_thread) +
            in_brackets(place_of(*b.thread(barrier.init_thread), barrier.init_site)) + ", and they have not met since",
        name_of(b, address));
  return &barrier;
}

inline void init_barrier(Thread& t, u32 address, u32 arrivals) {
  interleave(t);
  const Site site = caller_site();
  Block&     b    = *t.block;
  if (address % 8 != 0) {
    say(t, Kind::misaligned_address, site,
        words(t) + format(" initialises a barrier at 0x%x, which is no multiple of 8", address));
    stop(t);
  }
  if (arrivals < 1 || arrivals > (1u << 20) - 1)
    say(t, Kind::arrivals_over, site,
        words(t) + " initialises " + name_of(b, address) + format(" for %u arrivals: 1 to 1048575", arrivals));
  Barrier& barrier = b.barriers[address];
  if (barrier.live) {
    say(t, Kind::barrier_initialised_twice, site,
        words(t) + " initialises " + name_of(b, address) +
            format(", which is live since thread %u initialised it", barrier.init_thread) +
            in_brackets(place_of(*b.thread(barrier.init_thread), barrier.init_site)),
        name_of(b, address));
  } else {
    touch(t, address, nullptr, 8, false, true, site.pc[0]);
  }
  const u32 actor = b.actors++;  // a new one for every life: what threads know of phases is of the one before
  barrier         = {};
  barrier.address = address;
  barrier.count = barrier.pending = arrivals;
  barrier.actor                   = actor;
  barrier.live                    = true;
  barrier.init_thread             = t.rank;
  barrier.init_epoch              = t.clock.now++;
  barrier.init_site               = site;
  b.shadow.shared(address).barrier |= mask_of(address % granule_bytes, 8);
  progress(b);
}

inline void inval_barrier(Thread& t, u32 address) {
  const Site site    = caller_site();
  Barrier*   barrier = live_barrier(t, address, "invalidates", site);
  barrier->live      = false;
  t.block->shadow.shared(address).barrier &= u16(~mask_of(address % granule_bytes, 8));
}

inline void wake_waiters(Barrier& barrier) {
  for (Thread* w : barrier.waiters) {
    w->time = std::max(w->time, barrier.completed);
    make_ready(*w);
  }
  barrier.waiters.clear();
}

// A phase ends without all the bytes of its copies: too few were armed.
inline void report_short(Block& b, const Barrier& barrier, const Copy& c, const char* completes) {
  Launch& l = *b.launch;
  if (!is_news(l, Kind::bytes_short, c.site.pc[0])) return;
  Report r;
  r.kind   = Kind::bytes_short;
  r.where  = place_of(*b.thread(c.issuer), c.site);
  r.object = name_of(b, barrier.address);
  r.phase  = barrier.phase;
  r.text   = r.object + format(" %s phase %lld while a load that belongs to it is under way", completes, barrier.phase) +
             in_brackets(r.where) + format(": armed %lld bytes, copies issued %lld bytes", barrier.armed, barrier.issued);
  add_report(l, std::move(r));
}

// All arrivals are there, and more bytes under way than armed: in some order the phase completes before the last of them.
inline void check_bytes(Block& b, const Barrier& barrier) {
  if (barrier.pending == 0 && barrier.issued > barrier.armed) report_short(b, barrier, *barrier.newest, "may complete");
}

// Completes the phase if everything it counts is there.
inline void complete_if_full(Block& b, Barrier& barrier, double time) {
  barrier.completed = std::max(barrier.completed, time);
  check_bytes(b, barrier);
  if (barrier.pending != 0 || barrier.transaction != 0) return;
  Launch& l = *b.launch;
  if (!barrier.in_flight.empty()) report_short(b, barrier, *barrier.in_flight.front(), "completes");
  for (const PhaseWait& w : barrier.waits) {
    if (barrier.sum.known(w.thread) >= w.epoch || !is_news(l, Kind::phase_unordered, w.site.pc[0])) continue;
    Report r;
    r.kind   = Kind::phase_unordered;
    r.where  = place_of(*b.thread(w.thread), w.site);
    r.object = name_of(b, barrier.address);
    r.phase  = barrier.phase - 1;
    r.text = words(*b.thread(w.thread)) + " waits for phase " + format("%lld", static_cast<long long>(barrier.phase - 1)) +
             " of " + r.object + at_source(r.where) +
             format(", and nothing keeps phase %lld from completing before that wait is over: a slower thread would find a "
                    "parity that "
                    "means another phase, and wait for ever",
                    static_cast<long long>(barrier.phase));
    add_report(l, std::move(r));
  }
  barrier.sum.add(barrier.actor, u32(barrier.phase + 1));
  barrier.last[1]   = barrier.last[0];
  barrier.last[0]   = barrier.sum.freeze();
  barrier.memo_from = SnapshotRef();
  ++barrier.phase;
  barrier.pending = barrier.count;
  barrier.armed = barrier.landed = 0;
  barrier.issued                 = 0;
  for (const Copy* c : barrier.in_flight) barrier.issued += c->remaining;
  barrier.waits.clear();
  wake_waiters(barrier);
  progress(b);
}

inline void expect(Thread& t, Barrier& barrier, u32 bytes, const Site& site) {
  barrier.transaction += bytes;
  barrier.armed += bytes;
  if (bytes >= (1u << 20) || barrier.transaction >= (i64(1) << 20)) {
    say(t, Kind::transaction_overflow, site,
        words(t) + format(" makes %s expect %lld bytes: at most 1048575 are outstanding at once",
                          name_of(*t.block, barrier.address).c_str(), static_cast<long long>(barrier.transaction)),
        name_of(*t.block, barrier.address));
    stop(t);
  }
}

inline void arrive(Thread& t, u32 address, u32 count, bool expects, u32 bytes) {
  interleave(t);
  const Site site    = caller_site();
  Barrier*   barrier = live_barrier(t, address, "arrives at", site);
  if (expects) expect(t, *barrier, bytes, site);
  if (barrier->pending < count) {
    say(t, Kind::arrivals_over, site,
        words(t) + " arrives at " + name_of(*t.block, address) +
            format(" in phase %lld, which has had all its %u arrivals and waits for %lld bytes",
                   static_cast<long long>(barrier->phase), barrier->count, static_cast<long long>(barrier->transaction)),
        name_of(*t.block, address));
    stop(t);
  }
  barrier->sum.add(t.clock);
  barrier->pending -= count;
  t.time += 20;
  remember(t, address);
  complete_if_full(*t.block, *barrier, t.time);
  progress(*t.block);
}

inline void expect_tx(Thread& t, u32 address, u32 bytes) {
  interleave(t);
  const Site site    = caller_site();
  Barrier*   barrier = live_barrier(t, address, "arms", site);
  expect(t, *barrier, bytes, site);
  progress(*t.block);
}

// The engine: `bytes` of `copy` have landed.
inline void complete_tx(Block& b, Copy& copy, u32 bytes, double time) {
  Barrier& barrier = b.barriers[copy.barrier];
  copy.remaining -= bytes;
  barrier.transaction -= bytes;
  barrier.landed += bytes;
  if (copy.remaining == 0) {
    copy.done  = true;
    copy.phase = barrier.phase;
    std::erase(barrier.in_flight, &copy);
  }
  complete_if_full(b, barrier, time);
  progress(b);
}

// try_wait (suspends) and test_wait: has the phase of this parity completed?
//
// The hardware knows the parity of the current phase only. The machine knows which phase the thread means: the one after
// the last that it knows to be complete, or, where the parity is that of the last one, that one again.
inline bool wait_parity(Thread& t, u32 address, u32 parity, bool suspend) {
  interleave(t);
  const Site   site    = caller_site();
  Barrier*     barrier = live_barrier(t, address, "waits for", site);
  const i64    known   = t.clock.known(barrier->actor);
  const i64    want    = (known & 1) == i64(parity & 1) ? known : known - 1;
  const double from    = t.time;
  for (;;) {
    if (barrier->phase > want) break;
    if (!suspend) {
      remember(t, address + 1);
      poll(t);
      if (barrier->phase <= want) return false;
      break;
    }
    barrier->waiters.push_back(&t);
    park(t, Waiting::mbarrier, address, want, site);
  }
  if (barrier->phase - want >= 2) {
    const std::string name = name_of(*t.block, address);
    say(t, Kind::phase_missed, site,
        words(t) + format(" waits for phase %lld of ", static_cast<long long>(want)) + name +
            format(", which is in phase %lld already: parity %u means another phase by now, and the wait %s",
                   static_cast<long long>(barrier->phase), parity & 1,
                   (barrier->phase - want) % 2 == 0 ? "hangs" : "ends by luck"),
        name);
    stop(t);
  }
  if (want >= 0) {
    const SnapshotRef& done = barrier->last[barrier->phase - 1 - want];
    if (barrier->memo_from && barrier->memo_from == t.clock.base && barrier->phase - 1 == want) {
      t.clock.base = barrier->memo_to;
    } else {
      const SnapshotRef before = t.clock.base;
      t.clock.learn(done);
      if (barrier->phase - 1 == want) barrier->memo_from = before, barrier->memo_to = t.clock.base;
    }
  }
  // What comes after the wait is a new epoch: the next phase has to be ordered after the wait itself. So has the first one
  // after the wait for the one that a fresh barrier counts as complete.
  if (suspend && barrier->phase - 1 == want) barrier->waits.push_back({t.rank, t.clock.now, site});
  ++t.clock.now;

  t.time += 20;
  if (suspend) span(t, "wait", from, t.time);
  remember(t, address + 2);
  return true;
}

}  // namespace tma::machine::model
