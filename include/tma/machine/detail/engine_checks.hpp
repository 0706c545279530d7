// The engine's uses of memory, looked at when a copy is issued.
#pragma once

#include "checker.hpp"

namespace tma::machine::model {

inline void collide(Thread& s, Copy& c, Kind kind, u32 address, const Access& a, const char* edge) {
  Cluster& cl = *s.cluster;
  if (!is_news(*cl.launch, kind, c.site.pc[0])) return;
  Report r;
  r.kind  = kind;
  r.where = place_of(s, c.site);
  std::string other;
  const Copy* copy = a.kind == AccessKind::thread ? nullptr : cl.copies[a.copy].get();
  if (copy) {
    r.other = place_of(*cl.thread(copy->issuer), copy->site);
    other   = a_copy(*copy) + " of " + thread_words(*cl.thread(copy->issuer));
  } else {
    r.other = place_of(*cl.thread(a.actor), a.pc);
    other   = words(*cl.thread(a.actor));
  }
  const std::string what = address ? object_of(cl, address) : "global memory";
  r.object               = what;
  r.text = "the " + copy_words(c) + " of " + what + " that " + words(s) + " issues" + at_source(r.where) + ": " + other +
           in_brackets(r.other) + " " + edge;
  if (completes(a.kind)) r.text += "; it " + completion(cl, *copy, r);
  r.text += passed_words(cl, s.clock, a);
  add_report(*cl.launch, std::move(r));
}

// A copy writes bytes of 16 bytes of shared memory. An asynchronous store is no matter of the other proxy.
// `initialised`: the bytes that mean something.
inline void engine_writes(Thread& s, Copy& c, u32 address, u16 mask, u16 initialised) {
  Cluster&   cl      = *s.cluster;
  Granule&   g       = cl.shadow.shared(address);
  const bool proxied = c.type != Copy::async_store, is_reduction = c.reduces;
  if (g.barrier & mask)
    say(s, Kind::barrier_overwritten, c.site,
        a_copy(c) + " that " + words(s) + " issues overwrites a live barrier, " +
            name_of(cl, address + u32(__builtin_ctz(g.barrier))),
        name_of(cl, address + u32(__builtin_ctz(g.barrier))));
  const auto look = [&](Access& a, bool read) {
    if (!(a.mask & mask)) return;
    switch (a.kind) {
      case AccessKind::thread:
        if (!proxied && s.clock.known(a.actor) >= a.epoch) return;
        if (std::max(s.clock.quiet(a.actor), s.clock.published(a.actor)) >= a.epoch) return;
        if (s.clock.known(a.actor) >= a.epoch)
          collide(s, c, Kind::unfenced_reuse, address, a,
                  read ? "has read it before, and no proxy fence lies between: after the meeting, before the load"
                       : "has written it before, and no proxy fence lies between");
        else
          collide(s, c, Kind::early_reuse, address, a,
                  read ? "may still be reading it: it has not released it to the issuer (no meeting, no arrival that the "
                         "issuer has "
                         "waited for)"
                       : "may still be writing it: nothing orders that before the load");
        return;
      case AccessKind::load:
        if (is_reduction && cl.copies[a.copy]->reduces) return;
        if (!knows_done(s.clock, *cl.copies[a.copy])) collide(s, c, Kind::load_over_load, address, a, "is still filling it");
        return;
      case AccessKind::cp_async:
        if (!over(cl, s.clock, a)) collide(s, c, Kind::load_over_load, address, a, "is still filling it");
        return;
      default:
        if (!over(cl, s.clock, a))
          collide(s, c, Kind::overwritten_source, address, a,
                  "may still be reading it: no wait_source_free of that thread, and no meeting after it, lies between");
    }
  };
  for (Access& a : g.writes) look(a, false);
  for (Access& a : g.reads) look(a, true);
  if (const u32 missing = is_reduction ? initialised & ~g.initialised : 0) {
    const std::string name = name_of(cl, address + u32(__builtin_ctz(missing)));
    say(s, Kind::uninitialised, c.site,
        a_copy(c) + " that " + words(s) + " issues adds to " + name + ", which nobody has written", name);
  }
  // Reductions of several senders add up: each is awaited for itself.
  g.writes.forget(mask,
                  [&](const Access& a) { return is_reduction && a.kind == AccessKind::load && cl.copies[a.copy]->reduces; });
  g.reads.forget(mask);
  g.writes.push(cl.shadow.arena, {c.site.pc[0], 0, c.number, 0, mask, AccessKind::load});
  g.initialised = u16((g.initialised & ~mask) | initialised);
}

// The engine of another block has written what this thread's engine is to use, visibly to threads; and no proxy fence for global
// memory lies between. In one block both go through the same proxy, and the order alone is enough.
inline bool unfenced_by_another_block(Cluster& cl, const Thread& s, const Access& a) {
  return cl.thread(cl.copies[a.copy]->issuer)->block != s.block && s.clock.fenced_global(a.actor) < a.epoch;
}
inline constexpr char unfenced_by_another_block_words[] =
    "has written it for another block, and no proxy fence for global memory lies between the wait_visible of that block and "
    "this: the thread that issues calls tma::acquire_global() when it has been told";

// The engine reads: shared memory by a store, global memory by a load.
inline void engine_reads(Thread& s, Copy& c, Granule& g, u32 address, u16 mask, bool shared) {
  Cluster& cl = *s.cluster;
  for (Access& a : g.writes) {
    if (!(a.mask & mask)) continue;
    switch (a.kind) {
      case AccessKind::thread:
        if ((shared ? s.clock.published(a.actor) : s.clock.fenced_global(a.actor)) >= a.epoch) break;
        if (!shared)
          collide(s, c, Kind::unfenced_global, 0, a,
                  "has written it in this launch, and no proxy fence for global memory lies between");
        else if (s.clock.known(a.actor) < a.epoch)
          collide(s, c, Kind::unordered_store, address, a,
                  "may still be writing it: nothing orders that before the store (publish it)");
        else if (s.clock.quiet(a.actor) >= a.epoch)
          collide(
              s, c, Kind::unfenced_store, address, a,
              "wrote it, and the proxy fence stands on the wrong side of the meeting: each writer fences, then all meet");
        else
          collide(s, c, Kind::unfenced_store, address, a,
                  "wrote it, and did not fence before they met: each writer fences, then all meet (publish)");
        break;
      case AccessKind::load:
        if (!knows_done(s.clock, *cl.copies[a.copy]))
          collide(s, c, Kind::store_of_unwaited_load, address, a, "fills it, and the issuer has not waited for that");
        break;
      case AccessKind::store_target:
      case AccessKind::reduce_target:
        if (!over(cl, s.clock, a)) collide(s, c, Kind::invisible_store, 0, a, "writes it, and no wait_visible lies between");
        else if (!shared && unfenced_by_another_block(cl, s, a))
          collide(s, c, Kind::unfenced_global, 0, a, unfenced_by_another_block_words);
        break;
      default:
        if (!over(cl, s.clock, a))
          collide(s, c, Kind::unwaited_cp_async, address, a, "fills it, and nobody has waited for that");
    }
  }
  if (shared && c.type != Copy::send && (g.initialised & mask) != mask &&
      without_padding(cl, address, mask, u16(mask & ~g.initialised), address, address + granule_bytes))
    say(s, Kind::uninitialised, c.site,
        a_copy(c) + " that " + words(s) + " issues reads " + name_of(cl, address) + ", which nobody has written",
        name_of(cl, address));
}

// The engine writes 16 bytes of global memory, or reduces into them. A later use has to know that it is visible; of what came
// before a store, the order is the user's own, but for reductions: an element is combined with what is there.
inline void engine_stores(Thread& s, Copy& c, Granule& g, u32 write_actor) {
  Cluster&  cl   = *s.cluster;
  const u16 mask = u16(c.byte_mask);
  for (Access& a : g.writes) {
    if (!(a.mask & mask)) continue;
    if (over(cl, s.clock, a)) {
      if (a.kind == AccessKind::store_target && c.reduces && unfenced_by_another_block(cl, s, a))
        collide(s, c, Kind::unfenced_global, 0, a, unfenced_by_another_block_words);
      continue;
    }
    if (a.kind == AccessKind::reduce_target && !c.reduces)
      collide(s, c, Kind::reduction_race, 0, a, "may still add to it: no wait_visible of that thread lies between");
    if (a.kind == AccessKind::store_target && c.reduces)
      collide(s, c, Kind::reduction_race, 0, a, "may still write it: no wait_visible of that thread lies between");
  }
  if (c.reduces)
    for (Access& a : g.writes)
      if ((a.mask & mask) && a.kind == AccessKind::thread && s.clock.fenced_global(a.actor) < a.epoch)
        collide(s, c, Kind::unfenced_global, 0, a,
                "has written it in this launch, and no proxy fence for global memory lies between");
  g.writes.forget(mask, [&](const Access& a) {  // every thread's newest reduction, so that all are waited for
    return c.reduces && a.kind == AccessKind::reduce_target && a.actor != write_actor;
  });
  g.writes.push(cl.shadow.arena, {c.site.pc[0], c.group, c.number, u16(write_actor), mask,
                                  c.reduces ? AccessKind::reduce_target : AccessKind::store_target});
}

}  // namespace tma::machine::model
