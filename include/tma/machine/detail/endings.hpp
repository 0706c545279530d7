// The end of a thread, of a block, and of a kernel in which nobody can go on.
#pragma once

#include "meet.hpp"

namespace tma::machine::model {

// --- the end of a thread, and of a block ----------------------------------------------------------------------------

// Those who met in the thread's absence may have been waiting for it only.
inline void leave_meetings(Thread& t) {
  Block&   b = *t.block;
  Meeting& m = b.meetings[0];
  if (m.arrived > 0 && m.arrived >= b.alive) meeting_complete(b, m);
  for (u32 lane = 0; lane < 32 && t.warp * 32 + lane < b.threads.size(); ++lane) {
    Thread* o = b.thread(t.warp * 32 + lane);
    if (o->waiting == Waiting::warp && (o->warp_mask >> t.lane & 1)) {
      if (warp_meets(*o)) make_ready(*o);
      break;
    }
  }
}

inline void thread_main(void* argument) {
  Thread& t = *static_cast<Thread*>(argument);
  Launch& l = *t.block->launch;
  l.call(l.context);
  t.done = true;
  span(t, "compute", t.busy_from, t.time);
  if (t.in_open_group)
    say(t, Kind::uncommitted_store, t.open_site,
        words(t) + format(" ends with %u stores that no group was committed for", t.in_open_group));
  --t.block->alive;
  progress(*t.block);
  leave_meetings(t);
  for (;;) t.fiber.suspend();
}

// All threads have ended: what the engine still has to do for them was nobody's business?
inline void end_block(Block& b) {
  Accumulator sum;
  for (auto& t : b.threads) sum.add(t->clock);
  for (const auto& c : b.copies) {
    if (c->type == Copy::load) {
      if (c->bytes == 0 || (c->done && i64(sum.known(c->barrier_actor)) > c->phase)) continue;
      if (!is_news(*b.launch, Kind::exit_with_load, c->site.pc[0])) continue;
      Report r;
      r.kind  = Kind::exit_with_load;
      r.where = place_of(*b.thread(c->issuer), c->site);
      r.text  = format("block %u ends with a load that thread %u issued", b.number, c->issuer) + at_source(r.where) +
                "; it " + completion(b, *c, r) + ", which no thread has waited for";
      add_report(*b.launch, std::move(r));
    } else if (c->type == Copy::store) {
      const Thread& s = *b.thread(c->issuer);
      if (sum.known(s.read_actor) >= c->group || c->group > s.committed) continue;
      if (!is_news(*b.launch, Kind::exit_with_store, c->site.pc[0])) continue;
      Report r;
      r.kind   = Kind::exit_with_store;
      r.where  = place_of(s, c->site);
      r.object = object_of(b, c->shared_first);
      r.text   = format("block %u ends with a store that may still read %s; thread %u issued it", b.number, r.object.c_str(),
                        c->issuer) +
                 at_source(r.where) + " and has not waited for its source (wait_source_free)";
      add_report(*b.launch, std::move(r));
    }
  }
  for (auto& [address, barrier] : b.barriers)
    if (barrier.live && barrier.transaction != 0 && barrier.in_flight.empty() &&
        is_news(*b.launch, Kind::bytes_over, barrier.init_site.pc[0])) {
      Report r;
      r.kind   = Kind::bytes_over;
      r.where  = place_of(*b.thread(barrier.init_thread), barrier.init_site);
      r.object = name_of(b, address);
      r.phase  = barrier.phase;
      r.text   = format("block %u ends with %s in phase %lld and a balance of %lld bytes: armed %lld, landed %lld", b.number,
                        r.object.c_str(), static_cast<long long>(barrier.phase), static_cast<long long>(barrier.transaction),
                        static_cast<long long>(barrier.armed), static_cast<long long>(barrier.landed));
      add_report(*b.launch, std::move(r));
    }
  while (!b.in_flight.empty()) advance(b, *b.in_flight.front(), ~0u);
}

// --- nobody can go on -----------------------------------------------------------------------------------------------

inline std::string waiting_words(Block& b, const Thread& t) {
  const std::string where = at_source(place_of(t, t.wait_site));
  switch (t.waiting) {
    case Waiting::mbarrier: {
      const Barrier& k = b.barriers[t.wait_on];
      std::string    s =
          format("waits for phase %lld of %s", static_cast<long long>(t.wait_phase), name_of(b, t.wait_on).c_str()) + where +
          format(", which is in phase %lld: %u of %u arrivals missing", static_cast<long long>(k.phase), k.pending, k.count);
      if (k.transaction > 0)
        s += format(", %lld bytes missing (armed %lld, copies issued %lld, landed %lld)",
                    static_cast<long long>(k.transaction), static_cast<long long>(k.armed), static_cast<long long>(k.issued),
                    static_cast<long long>(k.landed));
      if (k.transaction < 0) s += format(", %lld bytes more landed than were armed", static_cast<long long>(-k.transaction));
      return s;
    }
    case Waiting::meeting: {
      const Meeting& m = b.meetings[t.wait_on];
      return (t.wait_on == 0 ? std::string("waits for its block") : format("waits at named barrier %u", t.wait_on)) + where +
             format(": %u of %u threads are there", m.arrived, t.wait_on == 0 ? b.alive : m.expected);
    }
    case Waiting::warp: {
      u32 there = 0;
      for (u32 lane = 0; lane < 32 && t.warp * 32 + lane < b.threads.size(); ++lane) {
        const Thread* o = b.thread(t.warp * 32 + lane);
        if (o->waiting == Waiting::warp && o->warp_what == t.warp_what) there |= 1u << lane;
      }
      return format("waits for lanes 0x%08x of its warp in %s", t.warp_mask & live_lanes(b, t.warp), t.warp_what) + where +
             format(": 0x%08x are there", there);
    }
    case Waiting::group_read:
    case Waiting::group_visible: return "waits for its stores" + where;
    default: return "polls" + where;
  }
}

inline void report_hang(Block& b, Kind kind) {
  Launch& l = *b.launch;
  Report  r;
  r.kind = kind;
  r.text = kind == Kind::deadlock ? format("block %u cannot go on", b.number)
                                  : format("block %u only polls, and nothing changes", b.number);
  // One line for threads that wait for the same thing at the same line.
  std::vector<std::pair<std::string, std::pair<const Thread*, int>>> groups;
  for (const auto& t : b.threads) {
    if (t->done) continue;
    const std::string w     = waiting_words(b, *t) + (t->role ? format(" [%s]", t->role) : "");
    auto              found = std::find_if(groups.begin(), groups.end(), [&](auto& g) { return g.first == w; });
    if (found == groups.end()) groups.push_back({w, {t.get(), 1}});
    else ++found->second.second;
  }
  for (const auto& [w, g] : groups) {
    r.text += "\n    " + words(*g.first) + (g.second > 1 ? format(" and %d more ", g.second - 1) : " ") + w;
    if (r.where.thread < 0) {
      r.where = place_of(*g.first, g.first->wait_site);
      if (g.first->waiting == Waiting::mbarrier) {
        r.object = name_of(b, g.first->wait_on);
        r.phase  = g.first->wait_phase;
      }
    }
  }
  add_report(l, std::move(r));
  l.aborted = true;
}

}  // namespace tma::machine::model
