// Chooses who goes on within a cluster.
#pragma once

#include "endings.hpp"

namespace tma::machine::model {

inline void set_indices(const Thread& t) {
  rt::thread_index = t.index;
  rt::block_index  = t.block->index;
}

inline void run_thread(Thread& t) {
  Cluster& cl = *t.cluster;
  if (cl.loaded != t.block->rank) load_variables(cl, t.block->rank);
  t.ready    = false;
  current    = &t;
  cl.running = &t;
  ++cl.launch->switches;
  set_indices(t);
  t.fiber.resume();
  current = nullptr;
}

// --- choosing -------------------------------------------------------------------------------------------------------

inline Copy* pick_copy(Cluster& cl, bool held_back) {
  Launch& l = *cl.launch;
  if (l.order == Order::victims) {
    Copy* chosen = nullptr;
    u32   free   = 0;
    for (Copy* c : cl.in_flight)
      if ((!c->victim || held_back) && below(l.random, ++free) == 0) chosen = c;
    return chosen;
  }
  if (cl.in_flight.empty()) return nullptr;
  if (l.order == Order::random) return cl.in_flight[below(l.random, cl.in_flight.size())];
  if (l.order == Order::reverse) return cl.in_flight.back();
  return cl.in_flight.front();
}

inline u32 piece(Launch& l, const Copy& c) {
  if (l.order == Order::random || l.order == Order::victims) return 1 + u32(below(l.random, c.chunks.size()));
  return ~0u;
}

inline u64 state_hash(const Cluster& cl) {
  u64        h   = 0;
  const auto mix = [&](u64 x) { h = (h ^ x) * 0x9e3779b97f4a7c15ull, h ^= h >> 29; };
  for (const auto& t : cl.threads) mix(t->history), mix(t->accesses), mix(u64(t->waiting) * 4 + t->ready * 2 + t->done);
  for (const auto& [a, k] : cl.barriers) mix(a), mix(u64(k.phase)), mix(k.pending), mix(u64(k.transaction)), mix(k.count);
  for (const Copy* c : cl.in_flight) mix(c->number), mix(c->next), mix(c->written);
  return h;
}

inline u32 warp_in_cluster(const Thread& t) { return t.block->rank << 8 | t.warp; }

// One step of every thread of one warp, or of one copy. False: this schedule ends here.
inline bool exhaustive_step(Cluster& cl) {
  Launch&          l = *cl.launch;
  std::vector<u32> warps;
  ++cl.step;
  const auto add = [&](bool all) {
    for (std::size_t i = 0; i < cl.ready.size(); ++i)
      if (const Thread* t = cl.ready[i];
          (all || t->polled_at + 1 != cl.step) && std::find(warps.begin(), warps.end(), warp_in_cluster(*t)) == warps.end())
        warps.push_back(warp_in_cluster(*t));
  };
  add(false);
  if (warps.empty() && cl.in_flight.empty()) add(true);

  std::sort(warps.begin(), warps.end());
  const u32 options = u32(warps.size() + cl.in_flight.size());
  u32       chosen  = 0;
  if (options > 1 && !l.explorer->choose(options, state_hash(cl), chosen)) {
    l.pruned = l.aborted = true;
    return false;
  }
  if (chosen >= warps.size()) {
    advance(cl, *cl.in_flight[chosen - warps.size()], ~0u);
    return true;
  }
  std::vector<Thread*> lanes;
  for (std::size_t i = 0; i < cl.ready.size();)
    if (warp_in_cluster(*cl.ready[i]) == warps[chosen]) lanes.push_back(cl.ready.take(i));
    else ++i;
  std::sort(lanes.begin(), lanes.end(), [](Thread* a, Thread* c) { return a->actor < c->actor; });
  for (Thread* t : lanes) {
    if (l.aborted) return false;
    run_thread(*t);
  }
  return true;
}

// Who polls without end, and whether that will change.
inline constexpr u64 polls_to_stall = 2000;

enum class Status { finished, stalled, aborted };

// Runs the cluster until it ends, or waits for others.
inline Status run_cluster(Cluster& cl) {
  Launch& l = *cl.launch;
  for (;;) {
    if (l.aborted) return Status::aborted;
    if (cl.alive == 0) {
      end_cluster(cl);
      return Status::finished;
    }
    if (cl.ready.empty() && cl.in_flight.empty()) return Status::stalled;
    if (cl.idle > polls_to_stall + 4 * cl.threads.size()) {
      if (!cl.in_flight.empty()) {
        advance(cl, *cl.in_flight.front(), ~0u);
        continue;
      }
      return Status::stalled;
    }
    if (l.order == Order::exhaustive) {
      if (!exhaustive_step(cl)) return Status::aborted;
      continue;
    }
    bool engine = cl.ready.empty();
    switch (l.order) {
      case Order::early: engine = !cl.in_flight.empty(); break;
      case Order::random:
      case Order::victims: engine |= !cl.in_flight.empty() && below(l.random, l.engine_share) == 0; break;
      default: break;
    }
    if (l.order == Order::timed) {
      std::size_t first = 0;
      for (std::size_t i = 1; i < cl.ready.size(); ++i)
        if (cl.ready[i]->time < cl.ready[first]->time) first = i;
      Copy* copy = nullptr;
      for (Copy* c : cl.in_flight)
        if (!copy || c->finish < copy->finish) copy = c;
      if (copy && (cl.ready.empty() || copy->finish <= cl.ready[first]->time)) advance(cl, *copy, ~0u);
      else run_thread(*cl.ready.take(first));
      continue;
    }
    if (engine) {
      Copy* c = pick_copy(cl, cl.ready.empty());
      if (c) {
        advance(cl, *c, piece(l, *c));
        continue;
      }
    }
    Thread* next = nullptr;
    switch (l.order) {
      case Order::random: next = cl.ready.take(below(l.random, cl.ready.size())); break;
      case Order::reverse: next = cl.ready.back(); break;
      case Order::victims: {
        next = cl.ready.front();
        for (std::size_t i = 0; next->victim && cl.idle < 100 && i < cl.ready.size(); ++i) {
          cl.ready.push(next);
          next = cl.ready.front();
        }
        if (next->victim && cl.idle < 100 && !cl.in_flight.empty()) {  // the engine first, then those who were held back
          cl.ready.push(next);
          if (Copy* c = pick_copy(cl, true)) {
            advance(cl, *c, piece(l, *c));
            continue;
          }
          next = cl.ready.front();
        }
        break;
      }
      default: next = cl.ready.front(); break;
    }
    run_thread(*next);
  }
}

}  // namespace tma::machine::model
