// The copy engine: checks a copy when it is issued, and moves it later, piece by piece.
#pragma once

#include "../map.hpp"
#include "barriers.hpp"

namespace tma::machine::model {

// Simulated time, in cycles: roughly a device's proportions. Nothing is measured with it.
inline constexpr double copy_latency = 800, bytes_per_cycle = 18, issue_cycles = 40;

[[noreturn]] inline void fault(Thread& s, Kind kind, const Site& site, const std::string& text) {
  Launch& l = *s.block->launch;
  say(s, kind, site, text);
  l.error = kind == Kind::illegal_instruction || kind == Kind::bad_descriptor ? 715
            : kind == Kind::misaligned_address                                ? 716
                                                                              : 700;
  stop(s);
}

inline Copy& new_copy(Thread& s, Copy::Type type, const Site& site) {
  Block& b  = *s.block;
  auto   c  = std::make_unique<Copy>();
  c->number = u32(b.copies.size());
  c->type   = type;
  c->issuer = s.rank;
  c->site   = site;
  b.copies.push_back(std::move(c));
  ++b.launch->copies;
  return *b.copies.back();
}

inline u32 actor(Block& b, u32& slot) {
  if (!slot) slot = b.actors++;
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
    fault(s, Kind::out_of_bounds, c.site,
          "the " + copy_words(c) + " that " + words(s) +
              format(" issues touches %p, which is in no allocation of device memory (the tensor's base is %p)",
                     static_cast<const void*>(first), static_cast<const void*>(c.base)));
  if (c.base + high > a.data + a.bytes)
    fault(s, Kind::out_of_bounds, c.site,
          "the " + copy_words(c) + " that " + words(s) +
              format(" issues ends %lld bytes past the allocation at %p of %zu bytes",
                     static_cast<long long>(c.base + high - a.data - i64(a.bytes)), static_cast<void*>(a.data), a.bytes));
}

inline void check_room(Thread& s, Copy& c) {
  const Block& b         = *s.block;
  const u32    variables = u32(b.variables_end - b.variables);
  for (const Chunk& k : c.chunks)
    if (k.shared >= variables_address ? k.shared + 16 > variables_address + variables
                                      : k.shared < first_address || k.shared + 16 > b.used)
      fault(s, Kind::out_of_bounds, c.site,
            "the " + copy_words(c) + " that " + words(s) +
                format(" issues touches 0x%x, beyond the block's shared memory", k.shared));
}

inline void queue(Thread& s, Copy& c) {
  Block&  b = *s.block;
  Launch& l = *b.launch;
  c.order   = l.order == Order::random || l.order == Order::victims ? u32(next_random(l.random))
              : l.order == Order::reverse                           ? 1
                                                                    : 0;
  c.victim  = l.order == Order::victims && below(l.random, 4) == 0;
  s.time += issue_cycles;
  c.start       = s.time;
  b.engine_free = std::max(b.engine_free, s.time) + c.bytes / bytes_per_cycle;
  c.finish      = b.engine_free + copy_latency;
  b.in_flight.push_back(&c);
  remember(s, c.number);
  progress(b);
}

inline void issue_load(Thread& s, Copy& c, u32 barrier_address) {
  Block&   b       = *s.block;
  Barrier* barrier = live_barrier(s, barrier_address, "issues a load on", c.site);
  if (const u32 by = barrier->init_thread; b.thread(by)->inits_fenced < barrier->init_epoch &&
                                           std::max(s.clock.published(by), s.clock.quiet(by)) < barrier->init_epoch)
    say(s, Kind::barrier_uninitialised, c.site,
        words(s) + " issues a load on " + name_of(b, barrier_address) + format(", which thread %u initialised", by) +
            in_brackets(place_of(*b.thread(by), barrier->init_site)) +
            ", and no fence by that thread makes that visible to the engine (fence_mbarrier_init, before they meet)",
        name_of(b, barrier_address));
  check_room(s, c);
  check_global(s, c, false);
  c.barrier       = barrier_address;
  c.barrier_actor = barrier->actor;
  c.remaining     = c.bytes;
  for (const Chunk& k : c.chunks) {
    if (k.inside > 0) {
      const auto from = reinterpret_cast<std::uintptr_t>(c.base + k.global);
      Granule&   g    = b.shadow.global(from);
      const u16  mask = mask_of(u32(from % 16), u32(k.inside));
      engine_reads(s, c, g, 0, mask, false);
      g.reads.push(b.shadow.arena, {c.site.pc[0], 0, c.number, 0, mask, AccessKind::load_source});
    }
    engine_writes(s, c, k.shared);
  }
  if (c.bytes == 0) {  // nothing moves, and nothing is counted
    c.done  = true;
    c.phase = barrier->phase;
    return;
  }
  barrier->in_flight.push_back(&c);
  barrier->issued += c.bytes;
  barrier->newest = &c;
  check_bytes(b, *barrier);
  queue(s, c);
}

inline void issue_store(Thread& s, Copy& c) {
  Block& b = *s.block;
  check_room(s, c);
  check_global(s, c, true);
  c.group              = s.committed + 1;
  const u32 read_actor = actor(b, s.read_actor), write_actor = actor(b, s.write_actor);
  for (const Chunk& k : c.chunks) {
    if (k.stored_bytes() == 0) continue;
    Granule& g = b.shadow.shared(k.shared);
    engine_reads(s, c, g, k.shared, 0xffff, true);
    g.reads.push(b.shadow.arena, {c.site.pc[0], c.group, c.number, u16(read_actor), 0xffff, AccessKind::store_source});
    Granule& to = b.shadow.global(reinterpret_cast<std::uintptr_t>(c.base + k.global));
    // A later use in this block has to know that the store is visible. What came before is the user's own order.
    to.writes.forget(0xffff);
    to.writes.push(b.shadow.arena, {c.site.pc[0], c.group, c.number, u16(write_actor), 0xffff, AccessKind::store_target});
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
            words(s) + format(" issues a one-dimensional %s between %p and shared 0x%x: both are multiples of 16", what,
                              global, shared));
    case CopyFault::undefined:
      say(s, Kind::undefined_copy, site,
          words(s) +
              format(
                  " issues a one-dimensional %s of %u bytes: the size is a multiple of 16; the hardware moves and counts %u",
                  what, bytes, bulk_bytes(bytes)));
      break;
    default: break;
  }
}

inline void tensor_chunks(Thread& s, Copy& c, const void* map, const int* at, int rank, u32 shared, bool store) {
  if (rt::is_local(map))
    fault(s, Kind::bad_descriptor, c.site,
          words(s) + " uses a descriptor in its own local memory, where the engine cannot read it: take it as const "
                     "__grid_constant__ "
                     "and pass it on by const reference");
  if (reinterpret_cast<std::uintptr_t>(map) % 64 != 0)
    fault(s, Kind::misaligned_address, c.site, words(s) + " uses a tensor map at an address that is no multiple of 64");
  void* base = nullptr;
  if (!decode(map, c.box, base))
    fault(s, Kind::bad_descriptor, c.site, words(s) + " uses a descriptor that make_descriptor has not made");
  c.base   = static_cast<char*>(base);
  c.tensor = true;
  if (!c.box.is_dense())
    fault(s, Kind::undefined_copy, c.site,
          words(s) + " copies through an interleaved or packed map, which the machine does not model");
  if (c.box.rank != rank)
    fault(s, Kind::illegal_instruction, c.site,
          words(s) + format(" issues a copy of rank %d through a map of rank %d", rank, c.box.rank));
  int slowest_first[5];
  for (int d = 0; d < rank; ++d) slowest_first[d] = at[rank - 1 - d];
  const int   size = element_bytes(c.box.type);
  const char* what = store ? "store" : "load";
  switch (check_tensor_copy(c.box, slowest_first, shared, store)) {
    case CopyFault::illegal_instruction:
      fault(s, Kind::illegal_instruction, c.site,
            words(s) +
                format(" issues a tensor %s at innermost coordinate %d (byte %lld): a multiple of 16 bytes (%d elements)",
                       what, at[0], static_cast<long long>(i64(at[0]) * size), 16 / size));
    case CopyFault::misaligned_address:
      fault(s, Kind::misaligned_address, c.site,
            words(s) + format(" issues a tensor %s with its tile at 0x%x: a multiple of 128", what, shared));
    case CopyFault::undefined:
      say(s, Kind::undefined_copy, c.site,
          words(s) + " issues a tensor store at a negative coordinate, which PTX leaves undefined");
      break;
    default: break;
  }
  if (c.box.footprint_bytes() > most_shared)
    fault(s, Kind::out_of_bounds, c.site,
          words(s) +
              format(" issues a tensor %s of %lld bytes, which no block has room for", what, c.box.footprint_bytes()));
  c.chunks.reserve(std::size_t(c.box.payload_bytes() / 16));
  for_each_chunk(c.box, slowest_first, shared, [&](const Chunk& k) { c.chunks.push_back(k); });
  c.bytes = u32(c.box.payload_bytes());
}

// --- moving --------------------------------------------------------------------------------------------------------

// The i-th chunk to move: in order, backwards, or from somewhere on and round.
inline u32 nth(const Copy& c, u32 i) {
  const u32 n = u32(c.chunks.size());
  if (c.order == 0) return i;
  if (c.order == 1) return n - 1 - i;
  const u32 at = (i + c.order % n) % n;
  return c.order & 0x10000 ? n - 1 - at : at;
}

inline void finish(Block& b, Copy& c) {
  Launch& l = *b.launch;
  if (l.record)
    l.spans.push_back({format("block %u copies", b.number), copy_words(c) + format(" %u B", c.bytes), c.start, c.finish});
  std::erase(b.in_flight, &c);
  std::vector<Chunk>().swap(c.chunks);
  std::vector<u8>().swap(c.staging);
}

inline void wake_group_waiter(Thread& s) {
  if (s.waiting == Waiting::group_read || s.waiting == Waiting::group_visible) make_ready(s);
}

// Moves up to `most` chunks of a copy.
inline void advance(Block& b, Copy& c, u32 most) {
  const u32 n = u32(c.chunks.size());
  progress(b);
  if (c.type == Copy::load) {
    const u32 end   = c.next + std::min(n - c.next, most);
    u32       moved = 0;
    for (; c.next < end; ++c.next) {
      const Chunk& k  = c.chunks[nth(c, c.next)];
      auto*        to = reinterpret_cast<unsigned char*>(b.at(k.shared));
      if (c.tensor) load_chunk(c.box, k, reinterpret_cast<unsigned char*>(c.base + k.global), to);
      else std::memcpy(to, c.base + k.global, 16);
      moved += 16;
    }
    if (c.next == n) finish(b, c);
    complete_tx(b, c, moved, c.finish);
    return;
  }
  Thread& s = *b.thread(c.issuer);
  if (c.next < n) {
    const u32 end = c.next + std::min(n - c.next, most);
    for (; c.next < end; ++c.next) {
      const u32 i = nth(c, c.next);
      if (c.chunks[i].stored_bytes()) std::memcpy(c.staging.data() + i * 16, b.at(c.chunks[i].shared), 16);
    }
    if (c.next == n && --s.groups[c.group].pending_reads == 0) wake_group_waiter(s);
    if (n) return;
  }
  const u32 end = c.written + std::min(n - c.written, most);
  for (; c.written < end; ++c.written) {
    const u32 i = nth(c, c.written);
    store_chunk(c.chunks[i], c.staging.data() + i * 16, reinterpret_cast<unsigned char*>(c.base + c.chunks[i].global));
  }
  if (c.written == n) {
    c.done = true;
    if (--s.groups[c.group].pending_writes == 0) wake_group_waiter(s);
    finish(b, c);
  }
}

// --- groups of stores ----------------------------------------------------------------------------------------------

inline void commit_group(Thread& s) {
  ++s.committed;
  if (s.groups.size() <= s.committed) s.groups.resize(s.committed + 1);
  s.in_open_group = 0;
}

inline void wait_group(Thread& s, int newer, bool read_only) {
  interleave(s);
  const Site site = caller_site();
  const i64  upto = i64(s.committed) - newer;
  const auto done = [&] {
    while (s.read_upto < s.committed && !s.groups[s.read_upto + 1].pending_reads) ++s.read_upto;
    while (s.write_upto < s.committed && !s.groups[s.write_upto + 1].pending_writes) ++s.write_upto;
    return i64(read_only ? s.read_upto : s.write_upto) >= upto;
  };
  const double from = s.time;
  while (!done()) park(s, read_only ? Waiting::group_read : Waiting::group_visible, 0, upto, site);
  if (upto < 1) return;
  if (s.read_actor) s.clock.learn(s.read_actor, u32(upto));
  if (!read_only && s.write_actor) s.clock.learn(s.write_actor, u32(upto));
  s.time += read_only ? 200 : 800;
  span(s, read_only ? "wait source free" : "wait visible", from, s.time);
  ++s.clock.now;
}

}  // namespace tma::machine::model
