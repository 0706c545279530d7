// Looks at every use of memory: is it ordered after the last other use, the way the two need?
#pragma once

#include "switch.hpp"

namespace tma::machine::model {

// The engine's copy is over as far as this thread knows.
inline bool knows_done(const ThreadClock& c, const Copy& copy) {
  return copy.done && i64(c.known(copy.barrier_actor)) > copy.phase;
}

inline bool over(const Block& b, const ThreadClock& c, const Access& a) {
  if (a.kind == AccessKind::load || a.kind == AccessKind::load_source) return knows_done(c, *b.copies[a.copy]);
  return c.known(a.actor) >= a.epoch;
}

inline const Barrier* barrier_of(const Block& b, const Copy& c) {
  const auto found = b.barriers.find(c.barrier);
  return found == b.barriers.end() ? nullptr : &found->second;
}

inline std::string copy_words(const Copy& c) {
  return c.type == Copy::load ? "load" : c.type == Copy::store ? "store" : "cp.async";
}

// "completes on full[2] phase 5": of a load that somebody should have waited for.
inline std::string completion(Block& b, const Copy& c, Report& r) {
  const Barrier* barrier = barrier_of(b, c);
  r.object               = name_of(b, c.barrier);
  r.phase                = c.done ? c.phase : barrier ? barrier->phase : -1;
  return format("completes on %s phase %lld", r.object.c_str(), static_cast<long long>(r.phase));
}

// A thread's access collides with what is recorded.
inline void collide(Thread& t, u32 address, bool global, bool write, const void* pc, const Access& a, bool other_reads) {
  Block&  b = *t.block;
  Launch& l = *b.launch;
  Report  r;
  switch (a.kind) {
    case AccessKind::thread: r.kind = Kind::data_race; break;
    case AccessKind::load: r.kind = Kind::unwaited_load; break;
    case AccessKind::store_source: r.kind = Kind::overwritten_source; break;
    case AccessKind::cp_async: r.kind = Kind::unwaited_cp_async; break;
    case AccessKind::store_target: r.kind = Kind::invisible_store; break;
    case AccessKind::load_source: r.kind = Kind::unwaited_load; break;
  }
  if (!is_news(l, r.kind, pc)) return;
  Site here                = caller_site();
  here.pc[Site::depth - 1] = nullptr;
  for (int i = Site::depth - 1; i > 0; --i) here.pc[i] = here.pc[i - 1];
  here.pc[0]              = pc;
  r.where                 = place_of(t, here);
  const std::string what  = global ? std::string("global memory") : name_of(b, address);
  const std::string start = words(t) + (write ? " writes " : " reads ") + what + at_source(r.where) + "; ";
  const Copy*       copy  = a.kind == AccessKind::thread ? nullptr : b.copies[a.copy].get();
  if (copy) r.other = place_of(*b.thread(copy->issuer), copy->site);
  else r.other = place_of(*b.thread(a.actor), a.pc);
  switch (a.kind) {
    case AccessKind::thread:
      r.object = what;
      r.text   = start + words(*b.thread(a.actor)) + (other_reads ? " reads" : " writes") + " the same bytes" +
                 at_source(r.other) + ", and nothing orders the two: no barrier, no arrival and wait between them";
      break;
    case AccessKind::load:
      r.text = start + "the load that fills it" + in_brackets(r.other) + " ";
      r.text += completion(b, *copy, r);
      r.text += format(", which thread %u has not waited for", t.rank);
      break;
    case AccessKind::load_source:
      r.text = start + "the load that reads it" + in_brackets(r.other) + " ";
      r.text += completion(b, *copy, r);
      r.text += format(", which thread %u has not waited for", t.rank);
      break;
    case AccessKind::store_source:
      r.object = what;
      r.text   = start + format("the store of thread %u that reads it", copy->issuer) + in_brackets(r.other) +
                 " may not have read it yet: no wait_source_free of that thread, and no meeting after it, lies between";
      break;
    case AccessKind::cp_async:
      r.object = what;
      r.text   = start + format("the cp.async of thread %u that fills it", copy->issuer) + in_brackets(r.other) +
                 " has not been waited for: no wait of that thread, and no meeting after it, lies between";
      break;
    case AccessKind::store_target:
      r.object = what;
      r.text =
          start + format("the store of thread %u that writes it", copy->issuer) + in_brackets(r.other) +
          " is not known to be written: wait_source_free says nothing of the destination; no wait_visible of that thread "
          "lies between";
      break;
  }
  add_report(l, std::move(r));
}

inline void say(Thread& t, Kind kind, const Site& site, std::string text, std::string object = "") {
  Launch& l = *t.block->launch;
  if (!is_news(l, kind, site.pc[0])) return;
  Report r;
  r.kind   = kind;
  r.where  = place_of(t, site);
  r.object = std::move(object);
  r.text   = std::move(text) + at_source(r.where);
  add_report(l, std::move(r));
}

// One granule's part of an access by a thread.
inline void touch_granule(Thread& t, Granule& g, u32 address, bool global, u16 mask, bool write, const void* pc,
                          bool atomic) {
  Block&     b       = *t.block;
  const auto ordered = [&](const Access& a) {  // without a look at clocks
    return !(a.mask & mask) || (a.kind == AccessKind::thread && (a.actor == t.rank || (atomic && a.copy)));
  };
  if (g.barrier & mask) {
    if (is_news(*b.launch, Kind::barrier_overwritten, pc)) {
      Site s;
      s.pc[0] = pc;
      b.launch->said.erase({int(Kind::barrier_overwritten), pc});
      say(t, Kind::barrier_overwritten, s,
          words(t) + (write ? " writes" : " reads") + " the bytes of a live barrier, " + name_of(b, address),
          name_of(b, address));
    }
    return;
  }
  for (Access& a : g.writes) {
    if (ordered(a)) continue;
    if (!over(b, t.clock, a)) collide(t, address, global, write, pc, a, false);
  }
  if ((!write || atomic) && !global && (g.initialised & mask) != mask && is_news(*b.launch, Kind::uninitialised, pc)) {
    Site s;
    s.pc[0] = pc;
    b.launch->said.erase({int(Kind::uninitialised), pc});
    say(t, Kind::uninitialised, s, words(t) + " reads " + name_of(b, address) + ", which nobody has written",
        name_of(b, address));
  }
  if (write) {
    for (Access& a : g.reads) {
      if (ordered(a)) continue;
      if (!over(b, t.clock, a)) collide(t, address, global, write, pc, a, true);
    }
    // Of atomic operations the newest of every thread is kept: what is not atomic comes after all of them. Who knows of the
    // fence before one may know of it.
    if (atomic)
      g.writes.forget(mask, [&](const Access& a) { return a.kind == AccessKind::thread && a.copy && a.actor != t.rank; });
    else g.writes.forget(mask);
    g.reads.forget(mask);
    const u32 epoch = atomic && t.release_fence ? t.released : t.clock.now;
    g.writes.push(b.shadow.arena, {pc, epoch, atomic, u16(t.rank), mask, AccessKind::thread});
    g.initialised |= mask;
    return;
  }
  // The threads of a block read the granules of a tile in one order: where this one stands in the list it likely stood before.
  if (t.read_hint < g.reads.size()) {
    Access& a = g.reads.begin()[t.read_hint];
    if (a.kind == AccessKind::thread && a.actor == t.rank && (a.epoch == t.clock.now || (a.mask & ~mask) == 0)) {
      a.mask  = a.epoch == t.clock.now ? a.mask | mask : mask;
      a.epoch = t.clock.now;
      a.pc    = pc;
      return;
    }
  }
  // (Where it would be the next to enter, it is taken to be so: an older entry of its own does no harm.)
  for (u32 i = t.read_hint == g.reads.size() ? t.read_hint : 0; i < g.reads.size(); ++i) {
    Access& a = g.reads.begin()[i];
    if (a.kind != AccessKind::thread || a.actor != t.rank) continue;
    t.read_hint = i;
    if (a.epoch == t.clock.now) {
      a.mask |= mask;
      return;
    }
    if ((a.mask & ~mask) == 0) {
      a.epoch = t.clock.now;
      a.mask  = mask;
      a.pc    = pc;
      return;
    }
    a.mask &= u16(~mask);
  }
  t.read_hint = g.reads.size();
  g.reads.push(b.shadow.arena, {pc, t.clock.now, 0, u16(t.rank), mask, AccessKind::thread});
}

inline u16 mask_of(u32 first, u32 bytes) { return u16(((1u << bytes) - 1) << first); }

// An access by a thread, to shared memory at `address` or to global memory at `place`.
inline void touch(Thread& t, u32 address, const char* place, std::size_t bytes, bool global, bool write, const void* pc,
                  bool atomic = false) {
  const std::uintptr_t at = global ? reinterpret_cast<std::uintptr_t>(place) : address;
  for (std::size_t i = 0; i < bytes;) {
    const u32 first = u32((at + i) % granule_bytes);
    const u32 n     = u32(std::min<std::size_t>(granule_bytes - first, bytes - i));
    Granule&  g     = global ? t.block->shadow.global(at + i) : t.block->shadow.shared(u32(at + i));
    touch_granule(t, g, u32(address + i), global, mask_of(first, n), write, pc, atomic);
    i += n;
  }
}

// --- the engine's uses, looked at when a copy is issued ------------------------------------------------------------

inline void collide(Thread& s, Copy& c, Kind kind, u32 address, const Access& a, const char* edge) {
  Block& b = *s.block;
  if (!is_news(*b.launch, kind, c.site.pc[0])) return;
  Report r;
  r.kind  = kind;
  r.where = place_of(s, c.site);
  std::string other;
  const Copy* copy = a.kind == AccessKind::thread ? nullptr : b.copies[a.copy].get();
  if (copy) {
    r.other = place_of(*b.thread(copy->issuer), copy->site);
    other   = format("a %s of thread %u", copy_words(*copy).c_str(), copy->issuer);
  } else {
    r.other = place_of(*b.thread(a.actor), a.pc);
    other   = words(*b.thread(a.actor));
  }
  const std::string what = address ? object_of(b, address) : "global memory";
  r.object               = what;
  r.text = "the " + copy_words(c) + " of " + what + " that " + words(s) + " issues" + at_source(r.where) + ": " + other +
           in_brackets(r.other) + " " + edge;
  if (copy && (a.kind == AccessKind::load || a.kind == AccessKind::load_source)) r.text += "; it " + completion(b, *copy, r);
  add_report(*b.launch, std::move(r));
}

// A load writes 16 bytes of shared memory.
inline void engine_writes(Thread& s, Copy& c, u32 address) {
  Block&   b = *s.block;
  Granule& g = b.shadow.shared(address);
  if (g.barrier)
    say(s, Kind::barrier_overwritten, c.site,
        "a load that " + words(s) + " issues overwrites a live barrier, " +
            name_of(b, address + u32(__builtin_ctz(g.barrier))),
        name_of(b, address + u32(__builtin_ctz(g.barrier))));
  const auto look = [&](Access& a, bool read) {
    switch (a.kind) {
      case AccessKind::thread:
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
        if (!knows_done(s.clock, *b.copies[a.copy])) collide(s, c, Kind::load_over_load, address, a, "is still filling it");
        return;
      case AccessKind::cp_async:
        if (!over(b, s.clock, a)) collide(s, c, Kind::load_over_load, address, a, "is still filling it");
        return;
      default:
        if (!over(b, s.clock, a))
          collide(s, c, Kind::overwritten_source, address, a,
                  "may still be reading it: no wait_source_free of that thread, and no meeting after it, lies between");
    }
  };
  for (Access& a : g.writes) look(a, false);
  for (Access& a : g.reads) look(a, true);
  g.writes.clear();
  g.reads.clear();
  g.writes.push(b.shadow.arena, {c.site.pc[0], 0, c.number, 0, 0xffff, AccessKind::load});
  g.initialised = 0xffff;
}

// The engine reads: shared memory by a store, global memory by a load.
inline void engine_reads(Thread& s, Copy& c, Granule& g, u32 address, u16 mask, bool shared) {
  Block& b = *s.block;
  for (Access& a : g.writes) {
    if (!(a.mask & mask)) continue;
    switch (a.kind) {
      case AccessKind::thread:
        if (shared ? s.clock.published(a.actor) >= a.epoch : false) break;
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
        if (!knows_done(s.clock, *b.copies[a.copy]))
          collide(s, c, Kind::store_of_unwaited_load, address, a, "fills it, and the issuer has not waited for that");
        break;
      case AccessKind::store_target:
        if (!over(b, s.clock, a)) collide(s, c, Kind::invisible_store, 0, a, "writes it, and no wait_visible lies between");
        break;
      default:
        if (!over(b, s.clock, a))
          collide(s, c, Kind::unwaited_cp_async, address, a, "fills it, and nobody has waited for that");
    }
  }
  if (shared && (g.initialised & mask) != mask)
    say(s, Kind::uninitialised, c.site,
        "a store that " + words(s) + " issues reads " + name_of(b, address) + ", which nobody has written",
        name_of(b, address));
}

}  // namespace tma::machine::model
