// The copy engine: checks a copy when it is issued, and moves it later, piece by piece.
#pragma once

#include "../map.hpp"
#include "engine_checks.hpp"
#include "variables.hpp"
#include "waits.hpp"

namespace tma::machine::model {

// Simulated time, in cycles: roughly a device's proportions. Nothing is measured with it.
inline constexpr double copy_latency = 800, bytes_per_cycle = 18, issue_cycles = 40;

[[noreturn]] inline void fault(Thread& s, Kind kind, const Site& site, const std::string& text) {
  Launch& l = *s.cluster->launch;
  say(s, kind, site, text);
  l.error = kind == Kind::illegal_instruction || kind == Kind::bad_descriptor ? 715
            : kind == Kind::misaligned_address                                ? 716
                                                                              : 700;
  stop(s);
}

// Which memory of the host this is, of which a launch knows.
inline std::string host_words(const void* place) {
  const machine::detail::HostRange* const r = machine::detail::host_range_of(place);
  return r->parameter < 0 ? "a variable of a function of the host"
                          : format("where parameter %d of the kernel points", r->parameter);
}

inline std::string host_rule(const void* place) {
  return format(
      "ordinary memory of the host (%s): a kernel must use memory that the device reads. Fix: allocate it by cudaMalloc and "
      "copy to it, or by cudaMallocManaged or cudaHostAlloc",
      host_words(place).c_str());
}

inline Copy& new_copy(Thread& s, Copy::Type type, const Site& site) {
  Cluster& cl = *s.cluster;
  auto     c  = std::make_unique<Copy>();
  c->number   = u32(cl.copies.size());
  c->type     = type;
  c->issuer   = s.actor;
  c->site     = site;
  cl.copies.push_back(std::move(c));
  ++cl.launch->copies;
  return *cl.copies.back();
}

inline u32 actor(Cluster& cl, u32& slot) {
  if (!slot) slot = cl.actors++;
  return slot;
}

// The bytes that the engine touches in global memory lie in one allocation.
inline void check_global(Thread& s, Copy& c, bool store) {
  i64 low = INT64_MAX, high = INT64_MIN;
  for (const Chunk& k : c.chunks) {
    const int n = store ? k.stored_bytes() : k.inside;
    if (n == 0) continue;
    low  = std::min(low, i64(k.global));
    high = std::max(high, i64(k.global) + n);
  }
  if (low > high) return;
  rt::Allocation a{};
  const char*    first = c.base + low;
  if (!rt::find_allocation(first, a))
    fault(
        s, Kind::out_of_bounds, c.site,
        "the " + copy_words(c) + " that " + words(s) +
            format(" issues touches %p, which is in no allocation of device memory", static_cast<const void*>(first)) +
            (machine::detail::host_range_of(first)
                 ? ", but " + host_rule(first)
                 : format(" (the tensor's base is %p). Fix: make the descriptor from memory of cudaMalloc that lives until "
                          "the kernel has ended",
                          static_cast<const void*>(c.base))));
  if (c.base + high > a.data + a.bytes)
    fault(s, Kind::out_of_bounds, c.site,
          "the " + copy_words(c) + " that " + words(s) +
              format(" issues ends %lld bytes past the allocation at %p of %zu bytes. Fix: give the tensor the extents and "
                     "strides that its memory has (tma::check_allocation asks for it)",
                     static_cast<long long>(c.base + high - a.data - i64(a.bytes)), static_cast<void*>(a.data), a.bytes));
}

// Shared memory from `address` on, which the copy touches.
inline void check_room(Thread& s, Copy& c, u32 address, u32 bytes = 16) {
  Cluster&  cl        = *s.cluster;
  const u32 offset    = address & offset_mask;
  const u32 variables = u32(cl.variables_end - cl.variables);
  if (offset >= variables_address ? offset + bytes > variables_address + variables
                                  : offset < first_address || offset + bytes > cl.used)
    fault(s, Kind::out_of_bounds, c.site,
          "the " + copy_words(c) + " that " + words(s) +
              format(" issues touches 0x%x, beyond the block's shared memory", offset) + room_words(cl));
  if (offset >= variables_address) use_variables(cl, offset - variables_address, bytes);
}

inline void check_room(Thread& s, Copy& c) {
  for (const Chunk& k : c.chunks) check_room(s, c, k.shared);
}

inline void queue(Thread& s, Copy& c) {
  Cluster& cl = *s.cluster;
  Block&   b  = *s.block;
  Launch&  l  = *cl.launch;
  c.order     = l.order == Order::random || l.order == Order::victims ? u32(next_random(l.random))
                : l.order == Order::reverse                           ? 1
                                                                      : 0;
  c.victim    = l.order == Order::victims && below(l.random, 4) == 0;
  s.time += issue_cycles;
  c.start       = s.time;
  b.engine_free = std::max(b.engine_free, s.time) + c.bytes / bytes_per_cycle;
  c.finish      = b.engine_free + copy_latency;
  cl.in_flight.push_back(&c);
  remember(s, c.number);
  progress(cl);
}

// The barrier that the copy completes on, which the engine has to know.
inline Barrier& completes_on(Thread& s, Copy& c, u32 address) {
  Cluster& cl = *s.cluster;
  if (address >> rank_shift != c.shared_first >> rank_shift) {
    const u32 there = (c.shared_first & ~offset_mask) | (address & offset_mask);
    say(s, Kind::undefined_copy, c.site,
        words(s) + " issues " + a_copy(c) + " into " + object_of(cl, c.shared_first) + " that completes on " +
            name_of(cl, address) + ": the barrier is in the block that the bytes come to, and the hardware takes " +
            name_of(cl, there));
    address = there;
  }
  Barrier*      barrier = live_barrier(s, address, c.type == Copy::load ? "issues a load on" : "issues a copy on", c.site);
  const Thread& by      = *cl.thread(barrier->init_thread);
  if (c.type != Copy::async_store && by.clock.inits_fenced < barrier->init_epoch &&
      std::max(s.clock.published(by.actor), s.clock.quiet(by.actor)) < barrier->init_epoch)
    say(s, Kind::barrier_uninitialised, c.site,
        words(s) + " issues " + a_copy(c) + " on " + name_of(cl, address) + ", which " + thread_words(by) + " initialised" +
            in_brackets(place_of(by, barrier->init_site)) +
            ", and no fence by that thread makes that visible to the engine (fence_mbarrier_init, before they meet)",
        name_of(cl, address));
  c.barrier       = address;
  c.barrier_actor = barrier->actor;
  c.remaining     = c.bytes;
  return *barrier;
}

inline void start_on(Thread& s, Copy& c, Barrier& barrier) {
  if (c.bytes == 0) {  // nothing moves, and nothing is counted
    c.done  = true;
    c.phase = barrier.phase;
    return;
  }
  if (c.shared_first >> rank_shift != s.block->rank) c.issued_after = s.clock.base, c.issued_in = s.clock.now;
  barrier.in_flight.push_back(&c);
  barrier.issued += c.bytes;
  barrier.newest = &c;
  check_bytes(*s.cluster, barrier);
  queue(s, c);
}

inline void issue_load(Thread& s, Copy& c, u32 barrier_address) {
  Cluster& cl      = *s.cluster;
  Barrier& barrier = completes_on(s, c, barrier_address);
  check_room(s, c);
  check_global(s, c, false);
  for (const Chunk& k : c.chunks) {
    if (k.inside > 0) {
      const auto from = reinterpret_cast<std::uintptr_t>(c.base + k.global);
      Granule&   g    = cl.shadow.global(from);
      const u16  mask = mask_of(u32(from % 16), u32(k.inside));
      if (cl.grids) check_grids(s, from, mask, false, false, c.site.pc[0], " issues a load of ");
      engine_reads(s, c, g, 0, mask, false);
      g.reads.push(cl.shadow.arena, {c.site.pc[0], 0, c.number, 0, mask, AccessKind::load_source});
    }
    engine_writes(s, c, k.shared, 0xffff, 0xffff);
  }
  start_on(s, c, barrier);
}

inline void issue_store(Thread& s, Copy& c) {
  Cluster& cl = *s.cluster;
  check_room(s, c);
  check_global(s, c, true);
  c.group              = s.committed + 1;
  const u32 read_actor = actor(cl, s.read_actor), write_actor = actor(cl, s.write_actor);
  for (const Chunk& k : c.chunks) {
    if (k.stored_bytes() == 0) continue;
    Granule& g = cl.shadow.shared(k.shared);
    engine_reads(s, c, g, k.shared, 0xffff, true);
    g.reads.push(cl.shadow.arena, {c.site.pc[0], c.group, c.number, u16(read_actor), 0xffff, AccessKind::store_source});
    const auto to = reinterpret_cast<std::uintptr_t>(c.base + k.global);
    if (cl.grids)
      check_grids(s, to, u16(c.byte_mask), true, false, c.site.pc[0],
                  c.reduces ? " issues a reduction into " : " issues a store to ");
    engine_stores(s, c, cl.shadow.global(to), write_actor);
  }
  ++s.in_open_group;
  s.open_site = c.site;
  if (s.groups.size() <= c.group) s.groups.resize(c.group + 1);
  ++s.groups[c.group].pending_reads;
  ++s.groups[c.group].pending_writes;
  c.staging.resize(c.chunks.size() * 16);
  queue(s, c);
}

// A 1-D copy as chunks: what exceeds a multiple of 16 bytes is dropped, as the hardware does.
inline void bulk_chunks(Copy& c, u32 shared, u32 bytes) {
  c.bytes = bulk_bytes(bytes);
  for (u32 i = 0; i < c.bytes; i += 16) c.chunks.push_back({shared + i, i64(i), 16, false});
}

inline void check_bulk(Thread& s, const Site& site, const void* global, u32 shared, u32 bytes, const char* what) {
  switch (check_bulk_copy(reinterpret_cast<u64>(global), shared, bytes)) {
    case CopyFault::misaligned_address:
      fault(s, Kind::misaligned_address, site,
            words(s) + format(" issues a one-dimensional %s between %p and shared 0x%x: both addresses must be multiples of "
                              "16 (they are %u and %u bytes past one)",
                              what, global, shared, u32(reinterpret_cast<u64>(global) % 16), shared % 16));
    case CopyFault::undefined:
      say(s, Kind::undefined_copy, site,
          words(s) + format(" issues a one-dimensional %s of %u bytes: the size must be a multiple of 16; the hardware "
                            "moves and counts %u. "
                            "Fix: copy a multiple of 16 bytes, or use tma::BulkCopy1D, which takes any length",
                            what, bytes, bulk_bytes(bytes)));
      break;
    default: break;
  }
}

// A send between shared memories: its size, as of a one-dimensional copy.
inline void check_send(Thread& s, Copy& c, u32 bytes) {
  if (c.source % 16 != 0 || c.shared_first % 16 != 0)
    fault(s, Kind::misaligned_address, c.site,
          words(s) + format(" sends from shared 0x%x to 0x%x of another block: both addresses must be multiples of 16",
                            c.source & offset_mask, c.shared_first & offset_mask));
  if (bytes % 16 != 0)
    say(s, Kind::undefined_copy, c.site,
        words(s) +
            format(" sends %u bytes: the size must be a multiple of 16; the hardware moves and counts %u. Fix: send a "
                   "multiple of 16 bytes",
                   bytes, bulk_bytes(bytes)));
  c.bytes = bulk_bytes(bytes);
}

}  // namespace tma::machine::model
