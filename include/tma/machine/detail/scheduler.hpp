// Chooses who goes on within a block.
#pragma once

#include "endings.hpp"

namespace tma::machine::model {

inline void set_indices(const Thread& t) {
  rt::thread_index = t.index;
  rt::block_index  = t.block->index;
}

inline void run_thread(Thread& t) {
  Block& b  = *t.block;
  t.ready   = false;
  current   = &t;
  b.running = &t;
  ++b.launch->switches;
  set_indices(t);
  t.fiber.resume();
  current = nullptr;
}

// --- choosing -------------------------------------------------------------------------------------------------------

inline Copy* pick_copy(Block& b, bool held_back) {
  Launch& l = *b.launch;
  if (l.order == Order::victims) {
    Copy* chosen = nullptr;
    u32   free   = 0;
    for (Copy* c : b.in_flight)
      if ((!c->victim || held_back) && below(l.random, ++free) == 0) chosen = c;
    return chosen;
  }
  if (b.in_flight.empty()) return nullptr;
  if (l.order == Order::random) return b.in_flight[below(l.random, b.in_flight.size())];
  if (l.order == Order::reverse) return b.in_flight.back();
  return b.in_flight.front();
}

inline u32 piece(Launch& l, const Copy& c) {
  if (l.order == Order::random || l.order == Order::victims) return 1 + u32(below(l.random, c.chunks.size()));
  return ~0u;
}

inline u64 state_hash(const Block& b) {
  u64        h   = 0;
  const auto mix = [&](u64 x) { h = (h ^ x) * 0x9e3779b97f4a7c15ull, h ^= h >> 29; };
  for (const auto& t : b.threads) mix(t->history), mix(t->accesses), mix(u64(t->waiting) * 4 + t->ready * 2 + t->done);
  for (const auto& [a, k] : b.barriers) mix(a), mix(u64(k.phase)), mix(k.pending), mix(u64(k.transaction));
  for (const Copy* c : b.in_flight) mix(c->number), mix(c->next), mix(c->written);
  return h;
}

// One step of every thread of one warp, or of one copy. False: this schedule ends here.
inline bool exhaustive_step(Block& b) {
  Launch&          l = *b.launch;
  std::vector<u32> warps;
  ++b.step;
  const auto add = [&](bool all) {
    for (std::size_t i = 0; i < b.ready.size(); ++i)
      if (const Thread* t = b.ready[i];
          (all || t->polled_at + 1 != b.step) && std::find(warps.begin(), warps.end(), t->warp) == warps.end())
        warps.push_back(t->warp);
  };
  add(false);
  if (warps.empty() && b.in_flight.empty()) add(true);

  std::sort(warps.begin(), warps.end());
  const u32 options = u32(warps.size() + b.in_flight.size());
  u32       chosen  = 0;
  if (options > 1 && !l.explorer->choose(options, state_hash(b), chosen)) {
    l.pruned = l.aborted = true;
    return false;
  }
  if (chosen >= warps.size()) {
    advance(b, *b.in_flight[chosen - warps.size()], ~0u);
    return true;
  }
  std::vector<Thread*> lanes;
  for (std::size_t i = 0; i < b.ready.size();)
    if (b.ready[i]->warp == warps[chosen]) lanes.push_back(b.ready.take(i));
    else ++i;
  std::sort(lanes.begin(), lanes.end(), [](Thread* a, Thread* c) { return a->rank < c->rank; });
  for (Thread* t : lanes) {
    if (l.aborted) return false;
    run_thread(*t);
  }
  return true;
}

// Who polls without end, and whether that will change.
inline constexpr u64 polls_to_stall = 2000;

enum class Status { finished, stalled, aborted };

// Runs the block until it ends, or waits for others.
inline Status run_block(Block& b) {
  Launch& l = *b.launch;
  for (;;) {
    if (l.aborted) return Status::aborted;
    if (b.alive == 0) {
      end_block(b);
      return Status::finished;
    }
    if (b.ready.empty() && b.in_flight.empty()) return Status::stalled;
    if (b.idle > polls_to_stall + 4 * b.threads.size()) {
      if (!b.in_flight.empty()) {
        advance(b, *b.in_flight.front(), ~0u);
        continue;
      }
      return Status::stalled;
    }
    if (l.order == Order::exhaustive) {
      if (!exhaustive_step(b)) return Status::aborted;
      continue;
    }
    bool engine = b.ready.empty();
    switch (l.order) {
      case Order::early: engine = !b.in_flight.empty(); break;
      case Order::random:
      case Order::victims: engine |= !b.in_flight.empty() && below(l.random, l.engine_share) == 0; break;
      default: break;
    }
    if (l.order == Order::timed) {
      std::size_t first = 0;
      for (std::size_t i = 1; i < b.ready.size(); ++i)
        if (b.ready[i]->time < b.ready[first]->time) first = i;
      Copy* copy = nullptr;
      for (Copy* c : b.in_flight)
        if (!copy || c->finish < copy->finish) copy = c;
      if (copy && (b.ready.empty() || copy->finish <= b.ready[first]->time)) advance(b, *copy, ~0u);
      else run_thread(*b.ready.take(first));
      continue;
    }
    if (engine) {
      Copy* c = pick_copy(b, b.ready.empty());
      if (c) {
        advance(b, *c, piece(l, *c));
        continue;
      }
    }
    Thread* next = nullptr;
    switch (l.order) {
      case Order::random: next = b.ready.take(below(l.random, b.ready.size())); break;
      case Order::reverse: next = b.ready.back(); break;
      case Order::victims: {
        next = b.ready.front();
        for (std::size_t i = 0; next->victim && b.idle < 100 && i < b.ready.size(); ++i) {
          b.ready.push(next);
          next = b.ready.front();
        }
        if (next->victim && b.idle < 100 && !b.in_flight.empty()) {  // the engine first, then those who were held back
          b.ready.push(next);
          if (Copy* c = pick_copy(b, true)) {
            advance(b, *c, piece(l, *c));
            continue;
          }
          next = b.ready.front();
        }
        break;
      }
      default: next = b.ready.front(); break;
    }
    run_thread(*next);
  }
}

}  // namespace tma::machine::model
