// Threads give way: parking, waking, polling.
#pragma once

#include "launch.hpp"

namespace tma::machine::model {

// The frames of the caller, in the kernel: return addresses by frame pointers, as far as this thread's stack goes.
[[gnu::always_inline]] inline Site caller_site() {
  Site          site;
  const Thread* t     = current;
  auto*         frame = static_cast<void**>(__builtin_frame_address(0));
  for (int i = 0; i < Site::depth; ++i) {
    const char* f = reinterpret_cast<const char*>(frame);
    if (f < t->stack || f + 16 > t->stack + Stacks::bytes || !frame[1]) break;
    site.pc[i] = frame[1];
    auto* up   = static_cast<void**>(frame[0]);
    if (up <= frame) break;
    frame = up;
  }
  return site;
}

// Of an access at `pc`, which the kernel makes itself.
[[gnu::always_inline]] inline Site site_at(const void* pc) {
  Site site = caller_site();
  for (int i = Site::depth - 1; i > 0; --i) site.pc[i] = site.pc[i - 1];
  site.pc[0] = pc;
  return site;
}

inline void span(Thread& t, const char* name, double from, double to) {
  Launch& l = *t.cluster->launch;
  if (!l.record || to <= from || t.lane != 0) return;
  if (from > t.busy_from)
    l.spans.push_back({format("block %u warp %u", t.block->number, t.warp), "compute", t.busy_from, from});
  l.spans.push_back({format("block %u warp %u", t.block->number, t.warp), name, from, to});
  t.busy_from = to;
}

// Something has changed: whoever polls has a reason to.
inline void progress(Cluster& cl) {
  cl.idle = 0;
  ++cl.changes;
}

inline void make_ready(Thread& t) {
  t.waiting = Waiting::nothing;
  if (!t.ready && !t.done) {
    t.ready = true;
    t.cluster->ready.push(&t);
  }
}

// Until somebody wakes this thread.
inline void park(Thread& t, Waiting why, u32 on, i64 phase, const Site& site) {
  t.waiting    = why;
  t.wait_on    = on;
  t.wait_phase = phase;
  t.wait_site  = site;
  t.fiber.suspend();
  t.waiting = Waiting::nothing;
}

// Lets others go first.
inline void yield(Thread& t) {
  t.ready = true;
  t.cluster->ready.push(&t);
  t.fiber.suspend();
}

// A point at which the order of threads may matter. Here, where the schedule says so, others go first.
inline void interleave(Thread& t) {
  Launch& l = *t.cluster->launch;
  ++t.accesses;
  switch (l.order) {
    case Order::exhaustive: yield(t); break;
    case Order::random:
      if (below(l.random, 4) == 0) yield(t);
      break;
    case Order::victims:
      if (t.victim) yield(t);
      break;
    case Order::timed: yield(t); break;
    default: break;
  }
}

// Asked for something that is not there yet: others have to go on before it makes sense to ask again.
inline void poll(Thread& t, bool counts = true) {
  Cluster& cl = *t.cluster;
  if (counts) ++cl.idle;
  t.polled_at = cl.step;
  t.time += 40;
  t.wait_site = caller_site();
  t.ready     = true;
  if (cl.launch->order == Order::reverse) cl.ready.push_front(&t);
  else cl.ready.push(&t);
  t.fiber.suspend();
}

[[noreturn]] inline void stop(Thread& t) {
  t.cluster->launch->aborted = true;
  for (;;) t.fiber.suspend();
}

inline void remember(Thread& t, u64 what) { t.history = (t.history ^ what) * 0x9e3779b97f4a7c15ull + 1; }

}  // namespace tma::machine::model
