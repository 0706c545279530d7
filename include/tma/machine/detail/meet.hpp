// Threads of a warp, a block or a cluster meet.
#pragma once

#include "sends.hpp"

namespace tma::machine::model {

// What lanes meet in, beside the exchanges of values, whose names the caller gives.
inline constexpr char sync_warp_name[] = "__syncwarp", elect_name[] = "elect.sync";

inline u32 full_lanes(const Block& b, u32 warp) {
  const u32 n = b.size - warp * 32;
  return n >= 32 ? ~0u : (1u << n) - 1;
}

// The lanes of a warp that have not returned.
inline u32 live_lanes(Block& b, u32 warp) {
  u32 live = 0;
  for (u32 lane = 0; lane < 32 && warp * 32 + lane < b.size; ++lane)
    if (!b.thread(warp * 32 + lane)->done) live |= 1u << lane;
  return live;
}

// If all lanes that `t` waits for are there, they have met.
inline bool warp_meets(Thread& t) {
  Block&    b      = *t.block;
  const u32 wanted = t.warp_mask & live_lanes(b, t.warp);
  Thread*   lanes[32];
  for (u32 lane = 0; lane < 32; ++lane) {
    if (!(wanted >> lane & 1)) continue;
    Thread* o = lanes[lane] = b.thread(t.warp * 32 + lane);
    if (o != &t && o->waiting != Waiting::warp) return false;
    if (o->warp_mask == t.warp_mask && std::strcmp(o->warp_what, t.warp_what) == 0) continue;
    if (!(o->warp_mask >> t.lane & 1)) return false;  // it waits for others
    say(t, Kind::diverged, t.wait_site,
        words(t) + format(" meets its warp in %s with lanes 0x%08x", t.warp_what, t.warp_mask) +
            at_source(place_of(t, t.wait_site)) + ", " + words(*o) +
            format(" in %s with lanes 0x%08x", o->warp_what, o->warp_mask) + at_source(place_of(*o, o->wait_site)));
    stop(t);
  }
  double      time   = 0;
  const bool  orders = t.warp_what == sync_warp_name;  // the others do not order memory
  Accumulator sum;
  for (u32 lane = 0; lane < 32; ++lane)
    if (wanted >> lane & 1) {
      time = std::max(time, lanes[lane]->time);
      if (orders) sum.add(lanes[lane]->clock);
    }
  SnapshotRef all;
  if (orders) all = sum.freeze();
  u64        values[32] = {};
  const bool exchanges  = !orders && t.warp_what != elect_name;
  if (exchanges)
    for (u32 lane = 0; lane < 32; ++lane)
      if (wanted >> lane & 1) values[lane] = lanes[lane]->warp_value;
  for (u32 lane = 0; lane < 32; ++lane)
    if (wanted >> lane & 1) {
      Thread& o        = *lanes[lane];
      o.time           = time + 4;
      o.meeting_result = wanted;
      if (orders) o.clock.base = all;
      if (exchanges) std::memcpy(o.warp_values, values, sizeof values);
      if (&o != &t) make_ready(o);
    }
  return true;
}

// The lanes that met.
inline u32 meet_warp(Thread& t, u32 mask, u64 value, const char* what) {
  ++t.accesses;
  t.warp_mask  = mask & full_lanes(*t.block, t.warp);
  t.warp_value = value;
  t.warp_what  = what;
  t.wait_site  = caller_site();
  if (!(mask >> t.lane & 1)) {
    say(t, Kind::diverged, t.wait_site,
        words(t) + format(" calls %s with lanes 0x%08x, which is not one of them", what, mask));
    stop(t);
  }
  if (!warp_meets(t)) park(t, Waiting::warp, mask, 0, t.wait_site);
  return t.meeting_result;
}

inline void meeting_complete(Block& b, Meeting& m) {
  const SnapshotRef all = m.clock.freeze();
  for (Thread* w : m.waiting) {
    w->clock.base     = all;  // what it knew is part of the sum
    w->meeting_result = m.sum | m.all << 16;
    w->time           = m.time + 10;
    make_ready(*w);
  }
  m.waiting.clear();
  m.arrived = m.expected = m.sum = 0;
  m.all                          = 1;
  m.time                         = 0;
  m.before                       = m.warps;
  m.warps                        = 0;
  m.over                         = all;
  progress(*b.cluster);
}

// Whether `t` comes after the last meeting at a barrier: it knows what each warp there did before it.
inline bool knows_meeting(Thread& t, Block& b, const Meeting& m) {
  for (u32 w = 0; w < 32; ++w)
    if (m.before >> w & 1)
      for (u32 lane = 0; lane < 32 && w * 32 + lane < b.size; ++lane) {
        const u32 actor = b.thread(w * 32 + lane)->clock.self;
        if (t.clock.known(actor) < at(m.over->known, actor)) return false;
      }
  return true;
}

inline std::string warps_words(u32 warps) {
  std::string all;
  for (u32 w = 0; w < 32; ++w)
    if (warps >> w & 1) all += format(all.empty() ? "warps %u" : ", %u", w);
  return all;
}

// Barrier `id` among `expected` threads. Arriving without waiting is possible.
inline void meet(Thread& t, u32 id, u32 expected, bool waits, int value = 0) {
  ++t.accesses;
  Block&     b    = *t.block;
  const Site site = caller_site();
  if (id > 15 || expected == 0 || (id != 0 && expected % 32 != 0)) {
    say(t, Kind::diverged, site,
        words(t) +
            format(
                " meets at named barrier %u with %u threads: the number must be 0 to 15, and the threads a multiple of 32",
                id, expected));
    stop(t);
  }
  Meeting& m = b.meetings[id];
  if (m.arrived > 0 && m.expected != expected) {
    say(t, Kind::diverged, site,
        words(t) + format(" meets at named barrier %u with %u threads; others wait there for %u", id, expected, m.expected));
    stop(t);
  }
  // Whoever was not at the meeting before knows that it is over, or is another user of the barrier.
  if (id != 0 && m.before != 0 && !(m.before >> t.warp & 1) && !knows_meeting(t, b, m)) {
    say(t, Kind::diverged, site,
        words(t) +
            format(" meets at named barrier %u, where others have met: %s. Nothing orders that meeting before this one: "
                   "two users have one barrier. Fix: give one of them another, tma::specialize(..., "
                   "tma::first_named_barrier<N>)",
                   id, warps_words(m.before).c_str()));
    stop(t);
  }
  m.warps |= 1u << t.warp;
  const double from = t.time;
  m.expected        = expected;
  m.clock.add(t.clock);
  m.sum += value != 0;
  m.all &= value != 0;
  m.time = std::max(m.time, t.time);
  if (waits) m.waiting.push_back(&t);
  if (++m.arrived >= (id == 0 ? b.alive : expected)) {
    meeting_complete(b, m);
    if (waits) {  // made ready as one of them; go on at once
      park(t, Waiting::meeting, id, 0, site);
    }
  } else if (waits) {
    park(t, Waiting::meeting, id, 0, site);
  }
  if (waits) span(t, "meet", from, t.time);
}

// --- all threads of a cluster: each arrives, and waits later ---------------------------------------------------------

inline void cluster_complete(Cluster& cl) {
  Meeting& m   = cl.meeting;
  cl.met       = m.clock.freeze();
  cl.memo_from = SnapshotRef();
  ++cl.meetings_over;
  for (Thread* w : m.waiting) {
    w->time = std::max(w->time, m.time + 200);
    make_ready(*w);
  }
  m.waiting.clear();
  m.arrived = 0;
  m.time    = 0;
  progress(cl);
}

inline void arrive_cluster(Thread& t, bool relaxed) {
  interleave(t);
  const Site site = caller_site();
  Cluster&   cl   = *t.cluster;
  Meeting&   m    = cl.meeting;
  if (t.meets_cluster) {
    say(t, Kind::diverged, site, words(t) + " arrives for its cluster twice, and has not waited between");
    stop(t);
  }
  t.meets_cluster = true;
  ++t.clusters_met;
  t.cluster_base = relaxed ? SnapshotRef() : t.clock.base;
  if (relaxed) m.clock.pass(t.clock, t.wide_fence);
  else m.clock.add(t.clock);
  m.time      = std::max(m.time, t.time);
  t.wait_site = site;
  remember(t, 3);
  if (++m.arrived >= cl.alive) cluster_complete(cl);
  progress(cl);
}

inline void wait_cluster(Thread& t) {
  interleave(t);
  const Site   site = caller_site();
  Cluster&     cl   = *t.cluster;
  const double from = t.time;
  if (!t.meets_cluster) {
    say(t, Kind::diverged, site, words(t) + " waits for its cluster, and has not arrived for it");
    stop(t);
  }
  while (cl.meetings_over < t.clusters_met) {
    cl.meeting.waiting.push_back(&t);
    park(t, Waiting::cluster, 0, 0, site);
  }
  t.meets_cluster = false;
  if (t.cluster_base && t.cluster_base == t.clock.base) {
    t.clock.base = cl.met;  // what it knew is part of that
  } else if (cl.memo_from && cl.memo_from == t.clock.base) {
    t.clock.base = cl.memo_to;
  } else {
    cl.memo_from = t.clock.base;
    t.clock.learn(cl.met);
    cl.memo_to = t.clock.base;
  }
  ++t.clock.now;
  span(t, "meet", from, t.time);
}

}  // namespace tma::machine::model
