// Looks at every use of memory by a thread: is it ordered after the last other use, the way the two need?
#pragma once

#include "switch.hpp"

namespace tma::machine::model {

// The engine's copy is over as far as this thread knows.
inline bool knows_done(const ThreadClock& c, const Copy& copy) {
  return copy.done && i64(c.known(copy.barrier_actor)) > copy.phase;
}

// What completes on a barrier.
inline bool completes(AccessKind k) {
  return k == AccessKind::load || k == AccessKind::load_source || k == AccessKind::send_source ||
         k == AccessKind::map_of_load;
}

inline bool copy_over(const Cluster& cl, const ThreadClock& c, const Access& a) {
  // A load has read its map as well where a group of its issuer was waited for.
  if (completes(a.kind) && knows_done(c, *cl.copies[a.copy])) return true;
  return (!completes(a.kind) || a.kind == AccessKind::map_of_load) && c.known(a.actor) >= a.epoch;
}

[[gnu::always_inline]] inline bool over(const Cluster& cl, const ThreadClock& c, const Access& a) {
  return a.kind == AccessKind::thread ? c.known(a.actor) >= a.epoch : copy_over(cl, c, a);
}

// Of what is not over: this thread has learned that it is, in a way that orders no memory.
inline std::string passed_words(const Cluster& cl, const ThreadClock& c, const Access& a) {
  if (over(cl, c, a)) return "";
  const Copy* copy = completes(a.kind) ? cl.copies[a.copy].get() : nullptr;
  if (copy ? !copy->done || i64(c.passed(copy->barrier_actor)) <= copy->phase : c.passed(a.actor) < a.epoch) return "";
  return ". It has learned of it, but in a way that orders no memory: a relaxed operation, or one whose scope is the block "
         "and not the cluster";
}

inline const Barrier* barrier_of(const Cluster& cl, const Copy& c) {
  const auto found = cl.barriers.find(c.barrier);
  return found == cl.barriers.end() ? nullptr : &found->second;
}

inline std::string copy_words(const Copy& c) {
  static const char* const names[] = {"load", "store", "cp.async", "send", "asynchronous store"};
  return c.type == Copy::store && c.reduces ? "reduction" : names[c.type];
}

inline std::string a_copy(const Copy& c) { return (c.type == Copy::async_store ? "an " : "a ") + copy_words(c); }

// "completes on full[2] phase 5": of a load that somebody should have waited for.
inline std::string completion(Cluster& cl, const Copy& c, Report& r) {
  const Barrier* barrier = barrier_of(cl, c);
  r.object               = name_of(cl, c.barrier);
  r.phase                = c.done ? c.phase : barrier ? barrier->phase : -1;
  return format("completes on %s phase %lld", r.object.c_str(), static_cast<long long>(r.phase));
}

// A thread's access collides with what is recorded.
inline void collide(Thread& t, u32 address, bool global, bool write, const void* pc, const Access& a, bool other_reads) {
  Cluster& cl = *t.cluster;
  Launch&  l  = *cl.launch;
  Report   r;
  switch (a.kind) {
    case AccessKind::thread: r.kind = Kind::data_race; break;
    case AccessKind::load: r.kind = Kind::unwaited_load; break;
    case AccessKind::store_source: r.kind = Kind::overwritten_source; break;
    case AccessKind::cp_async: r.kind = Kind::unwaited_cp_async; break;
    case AccessKind::store_target: r.kind = Kind::invisible_store; break;
    case AccessKind::load_source: r.kind = Kind::unwaited_load; break;
    case AccessKind::send_source: r.kind = Kind::overwritten_source; break;
    case AccessKind::reduce_target: r.kind = Kind::invisible_store; break;
    case AccessKind::map_of_load:
    case AccessKind::map_of_store: r.kind = Kind::descriptor_in_use; break;
  }
  if (!is_news(l, r.kind, pc)) return;
  r.where                 = place_of(t, site_at(pc));
  const std::string what  = global ? std::string("global memory") : name_of(cl, address);
  const std::string start = words(t) + (write ? " writes " : " reads ") + what + at_source(r.where) + "; ";
  const Copy*       copy  = a.kind == AccessKind::thread ? nullptr : cl.copies[a.copy].get();
  if (copy) r.other = place_of(*cl.thread(copy->issuer), copy->site);
  else r.other = place_of(*cl.thread(a.actor), a.pc);
  switch (a.kind) {
    case AccessKind::thread:
      r.object = what;
      r.text   = start + words(*cl.thread(a.actor)) + (other_reads ? " reads" : " writes") + " the same bytes" +
                 at_source(r.other) + ", and nothing orders the two: no barrier, no arrival and wait between them";
      break;
    case AccessKind::load:
      r.text = start + "the " + copy_words(*copy) + " that fills it" + in_brackets(r.other) + " ";
      r.text += completion(cl, *copy, r);
      r.text += format(", which thread %u has not waited for", t.rank);
      break;
    case AccessKind::load_source:
      r.text = start + "the load that reads it" + in_brackets(r.other) + " ";
      r.text += completion(cl, *copy, r);
      r.text += format(", which thread %u has not waited for", t.rank);
      break;
    case AccessKind::send_source:
      r.text = start + "the send that reads it" + in_brackets(r.other) + " ";
      r.text += completion(cl, *copy, r);
      r.text += format(", of which thread %u does not know", t.rank);
      break;
    case AccessKind::store_source:
      r.object = what;
      r.text   = start + "the " + copy_words(*copy) + " of " + thread_words(*cl.thread(copy->issuer)) + " that reads it" +
                 in_brackets(r.other) +
                 " may not have read it yet: no wait_source_free of that thread, and no meeting after it, lies between";
      break;
    case AccessKind::cp_async:
      r.object = what;
      r.text   = start + "the cp.async of " + thread_words(*cl.thread(copy->issuer)) + " that fills it" +
                 in_brackets(r.other) +
                 " has not been waited for: no wait of that thread, and no meeting after it, lies between";
      break;
    case AccessKind::map_of_load:
    case AccessKind::map_of_store:
      r.object = "descriptor";
      r.text   = words(t) + " writes a descriptor in global memory" + at_source(r.where) + "; the " + copy_words(*copy) +
                 " of " + thread_words(*cl.thread(copy->issuer)) + " that goes through it" + in_brackets(r.other) +
                 " may not have read it yet: no wait for that copy, nor drain of that thread's copies, and no meeting after "
                 "it, lies between";
      break;
    case AccessKind::store_target:
    case AccessKind::reduce_target:
      r.object = what;
      r.text =
          start + "the " + copy_words(*copy) + " of " + thread_words(*cl.thread(copy->issuer)) + " that writes it" +
          in_brackets(r.other) +
          " is not known to be written: wait_source_free says nothing of the destination; no wait_visible of that thread "
          "lies between";
      break;
  }
  r.text += passed_words(cl, t.clock, a);
  add_report(l, std::move(r));
}

inline void say(Thread& t, Kind kind, const Site& site, std::string text, std::string object = "") {
  Launch& l = *t.cluster->launch;
  if (!is_news(l, kind, site.pc[0])) return;
  Report r;
  r.kind         = kind;
  r.where        = place_of(t, site);
  r.object       = std::move(object);
  const auto fix = text.find(". Fix: ");  // the line belongs to what is wrong
  text.insert(fix == std::string::npos ? text.size() : fix, at_source(r.where));
  r.text = std::move(text);
  add_report(l, std::move(r));
}

// Of the bytes that nobody wrote among those that are read: which are not padding. Padding follows a member and ends where the
// next may begin, or the object ends: at a multiple of the widest member's size, which is more than its own length. So of
// floats the missing ones are none, of a short in an int neither. (The padding of what tma::shared returns is known.) The
// access is that of shared memory from `begin` to `end`, of which these are 16 bytes at `address`.
inline u16 without_padding(Cluster& cl, u32 address, u16 mask, u16 missing, u32 begin, u32 end) {
  constexpr u32 reach = 4 * granule_bytes;  // how far the widest member may be
  begin               = std::max(begin, address > reach ? address - reach : 0);
  end                 = std::min(end, address + reach);
  u16 left            = missing;
  for (u32 b = 0; b < granule_bytes; ++b) {
    if (!(missing >> b & 1)) continue;
    u32 e = b;
    while (e < granule_bytes && (missing >> e & 1)) ++e;
    u32 widest = 1;
    while (widest <= e - b) widest *= 2;
    bool is_padding = false;
    for (u32 at = begin / granule_bytes * granule_bytes; at < end; at += granule_bytes) {
      const Granule* g = cl.shadow.find_shared(at);
      if (!g) break;
      const u32 from = std::max(at, begin) - at, upto = std::min(at + u32(granule_bytes), end) - at;
      const u32 here = ((1u << upto) - 1) & ~((1u << from) - 1);
      for (const Access& a : g->writes)
        is_padding |= a.kind == AccessKind::thread && (a.mask & ~here) == 0 && u32(__builtin_popcount(a.mask)) >= widest;
    }
    if (b > u32(__builtin_ctz(mask)) && e % widest == 0 && is_padding) left &= u16(~(((1u << (e - b)) - 1) << b));
    b = e;
  }
  return left;
}

// A thread, or a copy that it issues, uses 16 bytes of global memory in a grid that may run beside those before it.
[[gnu::noinline]] inline void check_grids(Thread& t, std::uintptr_t at, u16 mask, bool write, bool atomic, const void* pc,
                                          const std::string& verb) {
  Launch& l = *t.cluster->launch;
  if (t.clock.known(t.cluster->grids) >= 1) return;
  const GridUse* use = l.before->find(at);
  if (!use) return;
  const u16 plain = u16(use->written | (write ? use->read : 0)), common = u16((atomic ? plain : plain | use->atomic) & mask);
  if (!common || !is_news(l, Kind::unwaited_grid, pc)) return;
  Report r;
  r.kind                 = Kind::unwaited_grid;
  r.where                = place_of(t, site_at(pc));
  r.object               = "global memory";
  r.other.source         = source_of(&use->pc, 1);
  const auto        byte = (at & ~std::uintptr_t(granule_bytes - 1)) + u32(__builtin_ctz(common));
  rt::Allocation    a{};
  const bool        found = rt::find_allocation(reinterpret_cast<const void*>(byte), a);
  const std::string place = found ? format("byte %zu of the allocation at %p", std::size_t(byte - std::uintptr_t(a.data)),
                                           static_cast<void*>(a.data))
                                  : format("global memory at 0x%zx", std::size_t(byte));
  r.text =
      words(t) + verb + place + at_source(r.where) + ", which the kernel " + use->kernel +
      ((use->written | use->atomic) & common ? " writes" : " reads") + in_brackets(r.other) +
      "; that grid is before this one in the stream and may still run: a programmatic launch begins before it has ended, "
      "and what is used of it must be waited for first. Fix: call tma::wait_for_previous_grid() before this line, in this "
      "thread or in one that it has met since; or launch without tma::StreamOrder::programmatic";
  add_report(l, std::move(r));
}

// One granule's part of an access by a thread.
inline void touch_granule(Thread& t, Granule& g, u32 address, u32 begin, u32 end, bool global, u16 mask, bool write,
                          const void* pc, bool atomic) {
  Cluster&   cl      = *t.cluster;
  const auto ordered = [&](const Access& a) {  // without a look at clocks
    return !(a.mask & mask) || (a.kind == AccessKind::thread && (a.actor == t.actor || (atomic && a.copy)));
  };
  if (g.barrier & mask) {
    if (is_news(*cl.launch, Kind::barrier_overwritten, pc)) {
      Site s;
      s.pc[0] = pc;
      cl.launch->said.erase({int(Kind::barrier_overwritten), pc});
      say(t, Kind::barrier_overwritten, s,
          words(t) + (write ? " writes" : " reads") + " the bytes of a live barrier, " + name_of(cl, address),
          name_of(cl, address));
    }
    return;
  }
  for (Access& a : g.writes) {
    if (ordered(a)) continue;
    if (!over(cl, t.clock, a)) collide(t, address, global, write, pc, a, false);
  }
  if ((!write || atomic) && !global && (g.initialised & mask) != mask &&
      without_padding(cl, address / granule_bytes * granule_bytes, mask, u16(mask & ~g.initialised), begin, end) &&
      is_news(*cl.launch, Kind::uninitialised, pc)) {
    Site s;
    s.pc[0] = pc;
    cl.launch->said.erase({int(Kind::uninitialised), pc});
    say(t, Kind::uninitialised, s, words(t) + " reads " + name_of(cl, address) + ", which nobody has written",
        name_of(cl, address));
  }
  if (write) {
    for (Access& a : g.reads) {
      if (ordered(a)) continue;
      if (!over(cl, t.clock, a)) collide(t, address, global, write, pc, a, true);
    }
    // Of atomic operations the newest of every thread is kept: what is not atomic comes after all of them. Who knows of the
    // fence before one may know of it.
    if (atomic)
      g.writes.forget(mask, [&](const Access& a) { return a.kind == AccessKind::thread && a.copy && a.actor != t.actor; });
    else g.writes.forget(mask);
    g.reads.forget(mask);
    const u32 epoch = atomic && t.release_fence ? t.released : t.clock.now;
    g.writes.push(cl.shadow.arena, {pc, epoch, atomic, u16(t.actor), mask, AccessKind::thread});
    g.initialised |= mask;
    return;
  }
  // The threads of a block read the granules of a tile in one order: where this one stands in the list it likely stood before.
  if (t.read_hint < g.reads.size()) {
    Access& a = g.reads.begin()[t.read_hint];
    if (a.kind == AccessKind::thread && a.actor == t.actor && (a.epoch == t.clock.now || (a.mask & ~mask) == 0)) {
      a.mask  = a.epoch == t.clock.now ? a.mask | mask : mask;
      a.epoch = t.clock.now;
      a.pc    = pc;
      return;
    }
  }
  // (Where it would be the next to enter, it is taken to be so: an older entry of its own does no harm.)
  for (u32 i = t.read_hint == g.reads.size() ? t.read_hint : 0; i < g.reads.size(); ++i) {
    Access& a = g.reads.begin()[i];
    if (a.kind != AccessKind::thread || a.actor != t.actor) continue;
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
  g.reads.push(cl.shadow.arena, {pc, t.clock.now, 0, u16(t.actor), mask, AccessKind::thread});
}

inline u16 mask_of(u32 first, u32 bytes) { return u16(((1u << bytes) - 1) << first); }

// An access by a thread, to shared memory at `address` or to global memory at `place`.
inline void touch(Thread& t, u32 address, const char* place, std::size_t bytes, bool global, bool write, const void* pc,
                  bool atomic = false) {
  const std::uintptr_t at = global ? reinterpret_cast<std::uintptr_t>(place) : address;
  for (std::size_t i = 0; i < bytes;) {
    const u32 first = u32((at + i) % granule_bytes);
    const u32 n     = u32(std::min<std::size_t>(granule_bytes - first, bytes - i));
    Granule&  g     = global ? t.cluster->shadow.global(at + i) : t.cluster->shadow.shared(u32(at + i));
    if (global && t.cluster->grids)
      check_grids(t, at + i, mask_of(first, n), write, atomic, pc, write ? " writes " : " reads ");
    touch_granule(t, g, u32(address + i), address, u32(address + bytes), global, mask_of(first, n), write, pc, atomic);
    i += n;
  }
}

}  // namespace tma::machine::model
