// mbarriers: arrivals, bytes, phases by number, and who waits for which.
#pragma once

#include "checker.hpp"

namespace tma::machine::model {

// A thread uses the memory of another block of its cluster, which has to be there still.
inline void use_peer(Thread& t, u32 address, const char* verb, const Site& site) {
  Cluster& cl = *t.cluster;
  Block&   b  = cl.block_of(address);
  if (&b == t.block) return;
  if (b.ended()) {
    say(t, Kind::peer_ended, site,
        words(t) + " " + verb + " " + name_of(cl, address) +
            ", which has ended: let the cluster meet at the end (cluster.sync)",
        object_of(cl, address));
    cl.launch->error = 719;
    stop(t);
  }
  b.used_by[{t.actor, site.pc[0]}] = {t.clock.now, site, verb, address};
}

inline Barrier* live_barrier(Thread& t, u32 address, const char* use, const Site& site) {
  Cluster& cl = *t.cluster;
  if (address % 8 != 0) {
    say(t, Kind::misaligned_address, site,
        words(t) + format(" %s a barrier at 0x%x, which is no multiple of 8", use, address));
    stop(t);
  }
  if (!cl.is_one()) use_peer(t, address, use, site);
  const auto found = cl.barriers.find(address);
  if (found == cl.barriers.end() || !found->second.live) {
    say(t, Kind::barrier_uninitialised, site,
        words(t) + " " + use + " " + name_of(cl, address) + ", which nobody has initialised", name_of(cl, address));
    stop(t);
  }
  Barrier&      barrier = found->second;
  const Thread& by      = *cl.thread(barrier.init_thread);
  if (t.clock.initialised(by.actor) < barrier.init_epoch)
    say(t, Kind::barrier_uninitialised, site,
        words(t) + " " + use + " " + name_of(cl, address) + ", and does not know that it is initialised: " +
            thread_words(by) + " did that" + in_brackets(place_of(by, barrier.init_site)) + ", and " +
            (by.block == t.block ? "they have not met since"
                                 : "the cluster has not met since, after a fence by that thread (fence_mbarrier_init)"),
        name_of(cl, address));
  return &barrier;
}

inline void init_barrier(Thread& t, u32 address, u32 arrivals) {
  interleave(t);
  const Site site = caller_site();
  Cluster&   cl   = *t.cluster;
  if (address % 8 != 0) {
    say(t, Kind::misaligned_address, site,
        words(t) + format(" initialises a barrier at 0x%x, which is no multiple of 8", address));
    stop(t);
  }
  if (arrivals < 1 || arrivals > (1u << 20) - 1)
    say(t, Kind::arrivals_over, site,
        words(t) + " initialises " + name_of(cl, address) + format(" for %u arrivals: 1 to 1048575", arrivals));
  Barrier& barrier = cl.barriers[address];
  if (barrier.live) {
    say(t, Kind::barrier_initialised_twice, site,
        words(t) + " initialises " + name_of(cl, address) + ", which is live since " +
            thread_words(*cl.thread(barrier.init_thread)) + " initialised it" +
            in_brackets(place_of(*cl.thread(barrier.init_thread), barrier.init_site)),
        name_of(cl, address));
  } else {
    touch(t, address, nullptr, 8, false, true, site.pc[0]);
  }
  const u32 actor = cl.actors++;  // a new one for every life: what threads know of phases is of the one before
  barrier         = {};
  barrier.address = address;
  barrier.count = barrier.pending = arrivals;
  barrier.actor                   = actor;
  barrier.live                    = true;
  barrier.init_thread             = t.actor;
  barrier.init_epoch              = t.clock.now++;
  barrier.init_site               = site;
  cl.shadow.shared(address).barrier |= mask_of(address % granule_bytes, 8);
  progress(cl);
}

inline void inval_barrier(Thread& t, u32 address) {
  const Site site    = caller_site();
  Barrier*   barrier = live_barrier(t, address, "invalidates", site);
  barrier->live      = false;
  t.cluster->shadow.shared(address).barrier &= u16(~mask_of(address % granule_bytes, 8));
}

inline void wake_waiters(Barrier& barrier) {
  for (Thread* w : barrier.waiters) {
    w->time = std::max(w->time, barrier.completed);
    make_ready(*w);
  }
  barrier.waiters.clear();
}

// A phase ends without all the bytes of its copies: too few were armed.
inline void report_short(Cluster& cl, const Barrier& barrier, const Copy& c, const char* completes) {
  Launch& l = *cl.launch;
  if (!is_news(l, Kind::bytes_short, c.site.pc[0])) return;
  Report r;
  r.kind   = Kind::bytes_short;
  r.where  = place_of(*cl.thread(c.issuer), c.site);
  r.object = name_of(cl, barrier.address);
  r.phase  = barrier.phase;
  r.text   = r.object + format(" %s phase %lld while a load that belongs to it is under way", completes, barrier.phase) +
             in_brackets(r.where) + format(": armed %lld bytes, copies issued %lld bytes", barrier.armed, barrier.issued);
  add_report(l, std::move(r));
}

// All arrivals are there, and more bytes under way than armed: in some order the phase completes before the last of them.
inline void check_bytes(Cluster& cl, const Barrier& barrier) {
  if (barrier.pending == 0 && barrier.issued > barrier.armed) report_short(cl, barrier, *barrier.newest, "may complete");
}

// Completes the phase if everything it counts is there.
inline void complete_if_full(Cluster& cl, Barrier& barrier, double time) {
  barrier.completed = std::max(barrier.completed, time);
  check_bytes(cl, barrier);
  if (barrier.pending != 0 || barrier.transaction != 0) return;
  Launch& l = *cl.launch;
  if (!barrier.in_flight.empty()) report_short(cl, barrier, *barrier.in_flight.front(), "completes");
  for (const PhaseWait& w : barrier.waits) {
    if (std::max(barrier.sum.passed(w.thread), barrier.wide.passed(w.thread)) >= w.epoch ||
        !is_news(l, Kind::phase_unordered, w.site.pc[0]))
      continue;
    Report r;
    r.kind   = Kind::phase_unordered;
    r.where  = place_of(*cl.thread(w.thread), w.site);
    r.object = name_of(cl, barrier.address);
    r.phase  = barrier.phase - 1;
    r.text = words(*cl.thread(w.thread)) + " waits for phase " + format("%lld", static_cast<long long>(barrier.phase - 1)) +
             " of " + r.object + at_source(r.where) +
             format(", and nothing keeps phase %lld from completing before that wait is over: a slower thread would find a "
                    "parity that "
                    "means another phase, and wait for ever",
                    static_cast<long long>(barrier.phase));
    add_report(l, std::move(r));
  }
  barrier.sum.add(barrier.actor, u32(barrier.phase + 1));
  barrier.last[1]      = barrier.last[0];
  barrier.last[0]      = barrier.sum.freeze();
  barrier.last_wide[1] = barrier.last_wide[0];
  barrier.last_wide[0] = barrier.wide.empty() ? SnapshotRef() : barrier.wide.freeze();
  barrier.memo_from    = SnapshotRef();
  ++barrier.phase;
  barrier.pending = barrier.count;
  barrier.armed = barrier.landed = 0;
  barrier.issued                 = 0;
  for (const Copy* c : barrier.in_flight) barrier.issued += c->remaining;
  barrier.waits.clear();
  wake_waiters(barrier);
  progress(cl);
}

inline void expect(Thread& t, Barrier& barrier, u32 bytes, const Site& site) {
  barrier.transaction += bytes;
  barrier.armed += bytes;
  if (bytes >= (1u << 20) || barrier.transaction >= (i64(1) << 20)) {
    say(t, Kind::transaction_overflow, site,
        words(t) + format(" makes %s expect %lld bytes: at most 1048575 are outstanding at once",
                          name_of(*t.cluster, barrier.address).c_str(), static_cast<long long>(barrier.transaction)),
        name_of(*t.cluster, barrier.address));
    stop(t);
  }
}

// What the arrival hands on. Waits at a barrier are its own block's: for an arrival from there block scope is enough.
inline void release(Thread& t, Barrier& barrier, u32 how) {
  const bool   is_own = &t.cluster->block_of(barrier.address) == t.block;
  Accumulator& sum    = is_own ? barrier.sum : barrier.wide;
  // A relaxed arrival hands on what came before the fence that it makes a release pattern with, and no more: what the thread
  // has learned between the two, from the lanes of its warp for one, is not ordered.
  if (how & rt::how::relaxed) {
    sum.pass(t.clock, is_own ? t.release_fence : t.wide_fence);
    if (t.shared_fence.base) {
      ThreadClock fenced = t.shared_fence;
      sum.add(fenced);
    }
  } else if (is_own || (how & rt::how::wide)) sum.add(t.clock);
  else sum.pass(t.clock, SnapshotRef());
}

struct Arrival {
  u32 count, bytes, how;
};

// Returns the barrier's state before: its phase and the arrivals that were missing.
[[gnu::always_inline]] inline u64 arrive(Thread& t, u32 address, const Arrival& a, const Site& site) {
  interleave(t);
  Cluster&    cl      = *t.cluster;
  Barrier*    barrier = live_barrier(t, address, "arrives at", site);
  const auto  phase   = static_cast<long long>(barrier->phase);
  const u64   state   = u64(barrier->phase) << 20 | barrier->pending;
  std::string wrong;
  if (a.count < 1 || a.count > (1u << 20) - 1) wrong = format(" with %u arrivals: 1 to 1048575", a.count);
  if (a.how & rt::how::expects) expect(t, *barrier, a.bytes, site);
  if (barrier->pending < a.count)
    wrong = barrier->pending == 0
                ? format(" in phase %lld, which has had all its %u arrivals and waits for %lld bytes", phase, barrier->count,
                         static_cast<long long>(barrier->transaction))
                : format(" in phase %lld with %u arrivals, of which %u are missing", phase, a.count, barrier->pending);
  if ((a.how & rt::how::completes_nothing) && barrier->pending == a.count && barrier->transaction == 0)
    wrong = format(" in phase %lld without completing it, and is the last: undefined (arrive.noComplete)", phase);
  if (!wrong.empty()) {
    say(t, Kind::arrivals_over, site, words(t) + " arrives at " + name_of(cl, address) + wrong, name_of(cl, address));
    stop(t);
  }
  release(t, *barrier, a.how);
  barrier->pending -= a.count;
  if (a.how & rt::how::drops) barrier->count -= a.count;
  t.time += 20;
  remember(t, address);
  complete_if_full(cl, *barrier, t.time);
  progress(cl);
  return state;
}

inline void expect_tx(Thread& t, u32 address, u32 bytes, const Site& site) {
  interleave(t);
  Barrier* barrier = live_barrier(t, address, "arms", site);
  expect(t, *barrier, bytes, site);
  progress(*t.cluster);
}

// As if a copy of so many bytes had landed.
inline void complete_tx(Thread& t, u32 address, u32 bytes, const Site& site) {
  interleave(t);
  Barrier* barrier = live_barrier(t, address, "completes bytes of", site);
  barrier->transaction -= bytes;
  barrier->landed += bytes;
  complete_if_full(*t.cluster, *barrier, t.time);
  progress(*t.cluster);
}

// Arrives when the thread's copies by cp.async are done, and hands on that they are. They are done at once here.
inline void arrive_for_copies(Thread& t, u32 address, bool counted, const Site& site) {
  interleave(t);
  Barrier* barrier = live_barrier(t, address, "arrives at", site);
  if (t.cp_actor) barrier->sum.add(t.cp_actor, t.cp_committed + 1);
  if (!counted) return;
  barrier->sum.pass(t.clock, SnapshotRef());
  if (barrier->pending == 0) {
    say(t, Kind::arrivals_over, site,
        words(t) + " arrives at " + name_of(*t.cluster, address) + " in a phase that has had all its arrivals",
        name_of(*t.cluster, address));
    stop(t);
  }
  --barrier->pending;
  complete_if_full(*t.cluster, *barrier, t.time);
}

// The engine: `bytes` of `copy` have landed.
inline void complete_tx(Cluster& cl, Copy& copy, u32 bytes, double time) {
  Barrier& barrier = cl.barriers[copy.barrier];
  copy.remaining -= bytes;
  barrier.transaction -= bytes;
  barrier.landed += bytes;
  if (copy.remaining == 0) {
    copy.done  = true;
    copy.phase = barrier.phase;
    std::erase(barrier.in_flight, &copy);
    // The phase cannot have completed before what its copy comes after.
    if (copy.issued_after) barrier.sum.pass(copy.issuer, copy.issued_in, *copy.issued_after);
  }
  complete_if_full(cl, barrier, time);
  progress(cl);
}

}  // namespace tma::machine::model
