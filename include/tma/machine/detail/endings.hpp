// The end of a thread, of a block, and of a kernel in which nobody can go on.
#pragma once

#include "meet.hpp"

namespace tma::machine::model {

// --- rings: both sides take the same number of steps ------------------------------------------------------------------

// A ring of one block. Its barriers lie in a row: those that count who fills a stage, then those that count who uses it.
struct RingSteps {
  u32  stages = 0;  // 0: the barrier is of no ring
  u32  full   = 0;  // the address of the first barrier
  i64  filled = 0, used = 0;
  bool in_place = false;

  const char* filler() const { return in_place ? "mover" : "producer"; }
  const char* users() const { return in_place ? "workers" : "consumers"; }
};

inline bool is_filler(const Thread& t) { return t.role && (t.role[0] == 'p' || t.role[0] == 'm'); }
// A consumer that has left before the others is counted no longer (Consumer::leave).
inline bool has_left_early(const Thread& t) { return t.role && std::string_view(t.role) == "consumer that has left"; }

inline RingSteps ring_steps(const Cluster& cl, u32 barrier) {
  RingSteps     r;
  const Region* of = region_of(cl, barrier & offset_mask);
  if (!of || of->of == 0 || of->first != (barrier & offset_mask)) return r;
  const u32 stages = u32(of->of);
  r.full           = barrier - 8 * u32(of->index) - (of->name[0] == 'f' ? 0 : 8 * stages);
  for (u32 s = 0; s < 2 * stages; ++s) {
    const auto    found = cl.barriers.find(r.full + 8 * s);
    const Region* its   = region_of(cl, (r.full + 8 * s) & offset_mask);
    if (found == cl.barriers.end() || !its || u32(its->of) != stages) return RingSteps();
    if (s < stages) r.filled += found->second.phase + (found->second.pending == 0);
    else r.used += found->second.phase;
    if (s == stages) r.in_place = its->name[0] == 'd';
  }
  r.stages = stages;
  return r;
}

inline std::string steps_words(const RingSteps& r) {
  return format("the %s has filled %lld %s and the %s have %s %lld", r.filler(), static_cast<long long>(r.filled),
                r.filled == 1 ? "stage" : "stages", r.users(), r.in_place ? "changed" : "used",
                static_cast<long long>(r.used));
}

inline std::string steps_fix(const RingSteps& r) {
  return std::string("Both must take the same number of steps. Fix: compute the number once, before the roles part") +
         (r.in_place ? ""
                     : ", or send the end along (tma::Meta); consumers that stop early skip what is left (consumer.skip)");
}

// What a thread of `b` waits for on a ring: one side has taken its last step, and the other goes on. Empty where that is not so.
inline std::string unequal_steps(const Cluster& cl, const Block& b, u32 barrier) {
  const RingSteps r = ring_steps(cl, barrier);
  if (r.stages == 0) return "";
  const Barrier& waited   = cl.barriers.at(barrier);
  const bool     for_full = barrier < r.full + 8 * r.stages;
  if (for_full && waited.pending < waited.count) return "";  // somebody has begun the step
  bool has_roles = false;                                    // then a thread without one has nothing to do with the ring
  for (u32 i = 0; i < b.size; ++i) has_roles = has_roles || cl.threads[b.first + i]->role;
  u32  there = 0, done = 0;
  bool missing = false;  // an arrival of one that is done
  for (u32 i = 0; i < b.size; ++i) {
    const Thread& t = *cl.threads[b.first + i];
    if (is_filler(t) != for_full || has_left_early(t) || (has_roles && !t.role)) continue;
    ++there;
    if (!t.done && t.left_ring != r.full) continue;
    ++done;
    missing = missing || !(waited.warps >> (t.warp & 31) & 1);
  }
  if (!missing || (for_full && done < there)) return "";
  std::string s = "the two sides of the ring take different numbers of steps: " + steps_words(r) + "; ";
  if (for_full) s += format("the %s has taken its last step, and the %s go on. ", r.filler(), r.users());
  else
    s += format("%u of %u threads of the %s have taken their last step, and the %s goes on. ", done, there, r.users(),
                r.filler());
  return s + steps_fix(r);
}

// --- the end of a thread, and of a block ----------------------------------------------------------------------------

// Those who met in the thread's absence may have been waiting for it only.
inline void leave_meetings(Thread& t) {
  Block&   b  = *t.block;
  Cluster& cl = *t.cluster;
  Meeting& m  = b.meetings[0];
  if (m.arrived > 0 && m.arrived >= b.alive) meeting_complete(b, m);
  Meeting& c = cl.meeting;
  if (t.meets_cluster && cl.meetings_over < t.clusters_met) --c.arrived;  // who has left is not waited for
  if (c.arrived > 0 && c.arrived >= cl.alive) cluster_complete(cl);
  for (u32 lane = 0; lane < 32 && t.warp * 32 + lane < b.size; ++lane) {
    Thread* o = b.thread(t.warp * 32 + lane);
    if (o->waiting == Waiting::warp && (o->warp_mask >> t.lane & 1)) {
      if (warp_meets(*o)) make_ready(*o);
      break;
    }
  }
}

inline void end_block(Block& b);

inline void thread_main(void* argument) {
  Thread& t = *static_cast<Thread*>(argument);
  Launch& l = *t.cluster->launch;
  l.call(l.context);
  t.done = true;
  span(t, "compute", t.busy_from, t.time);
  if (t.in_open_group)
    say(t, Kind::uncommitted_store, t.open_site,
        words(t) + format(" ends with %u stores that no group was committed for", t.in_open_group));
  --t.block->alive;
  --t.cluster->alive;
  progress(*t.cluster);
  leave_meetings(t);
  if (t.block->ended()) end_block(*t.block);
  for (;;) t.fiber.suspend();
}

// A block ends, and a copy may still use its memory.
inline void report_exit(Block& b, Kind kind, const Copy& c, u32 address, const std::string& what) {
  Cluster& cl = *b.cluster;
  if (!is_news(*cl.launch, kind, c.site.pc[0])) return;
  const Thread& issuer = *cl.thread(c.issuer);
  Report        r;
  r.kind  = kind;
  r.where = place_of(issuer, c.site);
  r.text  = words(b) + " ends with " + a_copy(c);
  if (kind == Kind::exit_with_load) {
    r.text += " that " + thread_words(issuer) + " issued" + at_source(r.where) + "; it " + completion(cl, c, r) + what;
    if (const RingSteps ring = ring_steps(cl, c.barrier); ring.stages > 0 && ring.filled != ring.used)
      r.text += ": " + steps_words(ring) + ". " + steps_fix(ring);
  } else {
    r.object = object_of(cl, address);
    r.text += " that may still read " + r.object + "; " + thread_words(issuer) + " issued it" + at_source(r.where) + what;
  }
  add_report(*cl.launch, std::move(r));
}

// All its threads have ended: was what the engine, and other blocks, still have to do with its memory nobody's business?
inline void end_block(Block& b) {
  Cluster&    cl = *b.cluster;
  Accumulator sum;
  for (u32 r = 0; r < b.size; ++r) sum.add(b.thread(r)->clock);
  if (cl.grids && !sum.known(cl.grids)) cl.launch->passes_on = true;  // its end lets the next grid begin
  const auto is_over = [&](const Copy& c) { return c.bytes == 0 || (c.done && i64(sum.passed(c.barrier_actor)) > c.phase); };
  const std::string whose = cl.is_one() ? "" : " of it";
  for (const auto& c : cl.copies) {
    if (c->type == Copy::store) {
      const Thread& s = *cl.thread(c->issuer);
      if (s.block != &b || sum.known(s.read_actor) >= c->group || c->group > s.committed) continue;
      report_exit(b, Kind::exit_with_store, *c, c->shared_first, " and has not waited for its source (wait_source_free)");
    } else if (c->type != Copy::cp_async && !is_over(*c)) {
      if (c->shared_first >> rank_shift == b.rank)
        report_exit(b, Kind::exit_with_load, *c, 0, ", which no thread" + whose + " has waited for");
      else if (c->type == Copy::send && c->source >> rank_shift == b.rank)
        report_exit(b, Kind::exit_with_store, *c, c->source,
                    ", and no thread of this block knows that it has arrived: let the cluster meet at the end, or be told");
    }
  }
  // Stages that were filled by threads, or with nothing, and used by nobody.
  for (std::size_t i = 0; i < cl.regions.size() && cl.launch->reports.empty(); ++i) {
    const Region& region = cl.regions[i];
    if (region.of == 0 || region.index != 0 || region.name[0] != 'f') continue;
    const RingSteps ring = ring_steps(cl, b.rank << rank_shift | region.first);
    if (ring.stages == 0 || ring.filled == ring.used) continue;
    const Barrier& first = cl.barriers.at(ring.full);
    if (!is_news(*cl.launch, Kind::rule, first.init_site.pc[0])) continue;
    Report r;
    r.kind   = Kind::rule;
    r.where  = place_of(*cl.thread(first.init_thread), first.init_site);
    r.object = name_of(cl, ring.full);
    r.text   = words(b) + " ends with a stage that was filled and not used: of the ring of " + r.object +
               in_brackets(r.where) + " " + steps_words(ring) + ". " + steps_fix(ring);
    add_report(*cl.launch, std::move(r));
  }
  for (const auto& [who, use] : b.used_by) {
    const Thread& t = *cl.thread(who.first);
    if (sum.passed(t.actor) >= use.epoch || !is_news(*cl.launch, Kind::peer_ended, who.second)) continue;
    Report r;
    r.kind   = Kind::peer_ended;
    r.where  = place_of(t, use.site);
    r.object = object_of(cl, use.address);
    r.text   = words(t) + " " + use.verb + " " + name_of(cl, use.address) + at_source(r.where) + "; nothing keeps " +
               words(b) +
               " from ending before: let the cluster meet at the end (cluster.sync), or let it wait for what comes after";
    add_report(*cl.launch, std::move(r));
  }
}

// All threads have ended.
inline void end_cluster(Cluster& cl) {
  for (auto& [address, barrier] : cl.barriers)
    if (barrier.live && barrier.transaction != 0 && barrier.in_flight.empty() &&
        is_news(*cl.launch, Kind::bytes_over, barrier.init_site.pc[0])) {
      Report r;
      r.kind   = Kind::bytes_over;
      r.where  = place_of(*cl.thread(barrier.init_thread), barrier.init_site);
      r.object = name_of(cl, address);
      r.phase  = barrier.phase;
      r.text   = words(cl.block_of(address)) +
                 format(" ends with %s in phase %lld and a balance of %lld bytes: armed %lld, landed %lld", r.object.c_str(),
                        static_cast<long long>(barrier.phase), static_cast<long long>(barrier.transaction),
                        static_cast<long long>(barrier.armed), static_cast<long long>(barrier.landed));
      add_report(*cl.launch, std::move(r));
    }
  while (!cl.in_flight.empty()) advance(cl, *cl.in_flight.front(), ~0u);
}

// --- nobody can go on -----------------------------------------------------------------------------------------------

inline std::string waiting_words(Cluster& cl, const Thread& t) {
  const std::string where = at_source(place_of(t, t.wait_site));
  switch (t.waiting) {
    case Waiting::mbarrier: {
      const Barrier& k = cl.barriers[t.wait_on];
      std::string    s =
          format("waits for phase %lld of %s", static_cast<long long>(t.wait_phase), name_of(cl, t.wait_on).c_str()) +
          where +
          format(", which is in phase %lld: %u of %u arrivals missing", static_cast<long long>(k.phase), k.pending, k.count);
      if (k.transaction > 0)
        s += format(", %lld bytes missing (armed %lld, copies issued %lld, landed %lld)",
                    static_cast<long long>(k.transaction), static_cast<long long>(k.armed), static_cast<long long>(k.issued),
                    static_cast<long long>(k.landed));
      if (k.transaction < 0) s += format(", %lld bytes more landed than were armed", static_cast<long long>(-k.transaction));
      return s;
    }
    case Waiting::meeting: {
      const Block&   b = *t.block;
      const Meeting& m = b.meetings[t.wait_on];
      return (t.wait_on == 0 ? std::string("waits for its block") : format("waits at named barrier %u", t.wait_on)) + where +
             format(": %u of %u threads are there", m.arrived, t.wait_on == 0 ? b.alive : m.expected);
    }
    case Waiting::cluster:
      return "waits for its cluster" + where + format(": %u of %u threads are there", cl.meeting.arrived, cl.alive);
    case Waiting::warp: {
      u32 there = 0;
      for (u32 lane = 0; lane < 32 && t.warp * 32 + lane < t.block->size; ++lane) {
        const Thread* o = t.block->thread(t.warp * 32 + lane);
        if (o->waiting == Waiting::warp && o->warp_what == t.warp_what) there |= 1u << lane;
      }
      return format("waits for lanes 0x%08x of its warp in %s", t.warp_mask & live_lanes(*t.block, t.warp), t.warp_what) +
             where + format(": 0x%08x are there", there);
    }
    case Waiting::registers:
      return format("waits for %u registers (setmaxnreg.inc)", t.wait_on) + where +
             format(": it has %u, and its block's warps have given back %u", t.block->registers[t.warp], t.block->spare);
    case Waiting::group_read:
    case Waiting::group_visible: return "waits for its stores" + where;
    default: return "polls" + where;
  }
}

inline void report_hang(Cluster& cl, Kind kind) {
  Launch& l = *cl.launch;
  Report  r;
  r.kind = kind;
  r.text = (cl.is_one() ? "" : "the cluster of ") + words(*cl.blocks[0]) +
           (kind == Kind::deadlock ? " cannot go on" : " only polls, and nothing changes");
  // One line for threads of a block that wait for the same thing at the same line.
  std::vector<std::pair<std::string, std::pair<const Thread*, int>>> groups;
  for (const auto& t : cl.threads) {
    if (t->done) continue;
    const std::string w     = waiting_words(cl, *t) + (t->role ? format(" [%s]", t->role) : "");
    auto              found = std::find_if(groups.begin(), groups.end(),
                                           [&](auto& g) { return g.first == w && g.second.first->block == t->block; });
    if (found == groups.end()) groups.push_back({w, {t.get(), 1}});
    else ++found->second.second;
  }
  for (const auto& [w, g] : groups) {
    r.text += "\n    " + words(*g.first) + (g.second > 1 ? format(" and %d more ", g.second - 1) : " ") + w;
    if (r.where.thread < 0) {
      r.where = place_of(*g.first, g.first->wait_site);
      if (g.first->waiting == Waiting::mbarrier) {
        r.object = name_of(cl, g.first->wait_on);
        r.phase  = g.first->wait_phase;
      }
    }
  }
  std::vector<std::string> causes;
  for (const auto& [w, g] : groups)
    if (g.first->waiting == Waiting::mbarrier) {
      const std::string cause = unequal_steps(cl, *g.first->block, g.first->wait_on);
      if (cause.empty() || std::find(causes.begin(), causes.end(), cause) != causes.end()) continue;
      causes.push_back(cause);
      r.text += "\n    likely cause: " + cause;
    }
  add_report(l, std::move(r));
  l.aborted = true;
}

}  // namespace tma::machine::model
