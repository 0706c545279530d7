// What a checked build knows of a block's barriers: a table in shared memory, of what was done to each in its current phase.
//
// Notes are made before the instruction that they are about, which the phase cannot do without: so they are of the phase that
// the barrier is in then. Arrivals and bytes from other blocks are not seen.
#pragma once

#include "../core/prologue.hpp"

#include "../core/shared_bytes.hpp"
#include "kernel_report.hpp"

#if defined(TMA_DETAIL_WATCHED)

namespace tma::inline TMA_ABI {
namespace detail::notes {

struct Barrier {
  u32         key;  // its address | 1; 0: free
  u32         lock;
  u32         flags;
  u32         parity;  // of the phase that the numbers below are of
  u32         phases;  // before it, as far as seen
  u32         expected, dropped;
  u32         made, warps;            // arrivals, and which warps made them
  u32         armed, issued, copies;  // bytes told to the barrier; bytes of copies, and how many
  u32         issuer;                 // the thread that issued the newest, + 1
  u32         place, place_bytes;     // where that one writes
  u32         order;                  // of initialisation
  const char* name;                   // from `describe`
  const char* owner;
  int         a, b;
};
inline constexpr u32 live = 1, foreign = 2, of_loads = 4,
                     of_block = 8;  // flags; above them a ring's threads (ring_notes.hpp)

struct Warp {
  const char* role;
  u32         waits;  // the key of the barrier, and the parity; 0: for none
  u32         parity;
  u32         ring, left;  // the key of the newest ring's first barrier that threads have left, and how many
};

struct Table {
  u64     tag;  // of the block that the table is of: shared memory begins with what the last one left there
  u32     initialised, full, threads;
  Warp    warp[32];
  Barrier barrier[TMA_CHECKED_BARRIERS];
};
static_assert(sizeof(Table) <= notes_bytes);

// Even: the same and one is the tag while the table is being emptied.
TMA_DEVICE u64 tag_of_block() {
  constexpr u64 mix = 0x9e3779b97f4a7c15ull;
  return ((ptx::grid_id() * mix + ptx::block_threads()) * mix + ptx::block_rank()) * 2;
}

// The block's table, emptied by who comes first.
TMA_DETAIL_OUTLINED Table& table() {
  Table&              t    = ptx::static_shared<Table>();
  const u64           mine = tag_of_block();
  volatile u64* const tag  = &t.tag;
  if (*tag == mine) return t;
  ptx::one_by_one([&] {
    const u64 seen = *tag;
    if (seen != mine && seen != mine + 1 && atomicCAS(&t.tag, seen, mine + 1) == seen) {
      u32* const first = reinterpret_cast<u32*>(&t) + sizeof(u64) / sizeof(u32);
      for (u32 i = 0; i < (sizeof(Table) - sizeof(u64)) / sizeof(u32); ++i) first[i] = 0;
      __threadfence_block();
      *tag = mine;
    }
    while (*tag != mine) ptx::pause(20);  // another warp is at it
  });
  return t;
}

// The notes of a barrier; null where there are none, or no room for them.
TMA_DETAIL_OUTLINED Barrier* find(Table& t, u32 address, bool make) {
  const u32 key = address | 1;
  for (u32 i = 0; i < TMA_CHECKED_BARRIERS; ++i) {
    Barrier& b    = t.barrier[(address / 8 + i) % TMA_CHECKED_BARRIERS];
    u32      seen = *const_cast<volatile u32*>(&b.key);
    if (seen == 0 && !make) return nullptr;
    if (seen == 0) seen = atomicCAS(&b.key, 0u, key);
    if (seen == 0 || seen == key) return &b;
  }
  t.full = 1;
  return nullptr;
}

// Nobody else changes the barrier's notes while `change` runs. By one thread of a warp at a time.
template <class Change> TMA_DEVICE void locked(Barrier& b, Change change) {
  while (atomicCAS(&b.lock, 0u, 1u) != 0) ptx::pause(20);
  __threadfence_block();
  change();
  __threadfence_block();
  atomicExch(&b.lock, 0u);
}
template <class Change> TMA_DEVICE void with(Barrier& b, Change change) {
  ptx::one_by_one([&] { locked(b, change); });
}

TMA_DEVICE u32 address_of(const Barrier& b) { return b.key & ~1u; }

// Where the phase is over that the numbers are of, they begin anew.
TMA_DEVICE void catch_up(Barrier& b) {
  if (!ptx::is_phase_over(address_of(b), b.parity)) return;
  b.parity ^= 1;
  ++b.phases;
  b.expected -= b.dropped;
  b.dropped = b.made = b.warps = b.armed = b.issued = b.copies = b.issuer = b.place_bytes = 0;
}

// "full[2] of pipeline "mainloop"", or where it lies
TMA_DETAIL_OUTLINED void name(const Barrier* b, u32 address) {
  if (b && b->name) {
    report::name(b->name, b->a, b->b);
    if (b->owner) {
      report::text(" of \"");
      report::text(b->owner);
      report::letter('"');
    }
  } else {
    report::text("the barrier");
    if (b && (b->flags & live)) report::text(" number "), report::number(b->order);
  }
  report::text(" at ");
  report::address(address);
}

[[noreturn]] TMA_DETAIL_OUTLINED void fail(const Barrier* b, u32 address, const char* rule, i64 value) {
  report::begin();
  report::text("tma: ");
  report::who();
  report::text(": ");
  name(b, address);
  report::text(": ");
  report::text(rule);
  report::text(" (found ");
  report::number(value);
  report::text(")\n");
  report::end();
}

// The notes of a barrier that is used: one that nobody has initialised is a fault.
TMA_DETAIL_OUTLINED Barrier* used(u32 address) {
  Table&         t = table();
  Barrier* const b = find(t, address, false);
  if (b && (b->flags & live)) return b;
  if (t.full && !b) return nullptr;
  fail(b, address,
       b && b->order > 0 ? "the barrier is used after its end: tma::invalidate, or the end of its pipeline, was the last "
                           "thing to do with it"
                         : "the barrier is used before it is initialised: auto [block, arrived] = tma::this_block(barrier), "
                           "by all threads, comes first",
       address);
}

// --- what ptx*.hpp note (TMA_DETAIL_NOTE). `barrier` is an address ---

TMA_DETAIL_OUTLINED void initialised(u32 barrier, u32 arrivals) {
  if (barrier % 8 != 0) fail(nullptr, barrier, "a barrier lies at a multiple of 8 bytes; the address modulo 8", barrier % 8);
  Table&         t = table();
  Barrier* const b = find(t, barrier, true);
  if (!b) return;
  const Barrier old = *b;
  *b                = Barrier{};
  b->key            = old.key;
  b->name           = old.name;
  b->owner          = old.owner;
  b->a              = old.a;
  b->b              = old.b;
  b->flags          = live;
  b->expected       = arrivals;
  b->order          = atomicAdd(&t.initialised, 1u) + 1;
}

TMA_DETAIL_OUTLINED void invalidated(u32 barrier) {
  if (Barrier* const b = used(barrier)) b->flags = 0;
}

// One that others initialise and use as well (cuda::barrier): of it little is known.
TMA_DETAIL_OUTLINED void adopted(u32 barrier, u32 arrivals) {
  if (Barrier* const b = find(table(), barrier, true)) {
    b->expected = arrivals;
    b->flags    = live | foreign;
  }
}

TMA_DETAIL_OUTLINED void marked(u32 barrier, u32 flag) {
  if (Barrier* const b = find(table(), barrier, false)) b->flags |= flag;
}

// `count` arrivals by the calling thread, with `bytes` to be waited for.
TMA_DETAIL_OUTLINED void arrivals(u32 barrier, u32 count, u32 bytes, bool drops = false) {
  Barrier* const b = used(barrier);
  if (!b) return;
  with(*b, [&] {
    catch_up(*b);
    if (b->made + count > b->expected && !(b->flags & foreign))
      fail(b, barrier,
           (b->flags & of_loads) && b->expected == 1
               ? "this phase is armed already and has not completed: two batches, or loads by themselves, are given one "
                 "phase, "
                 "or the wait between two rounds is missing; arrivals with this one"
               : "this phase has all its arrivals already and has not completed: somebody arrives twice, or goes on without "
                 "waiting; arrivals with this one",
           b->made + count);
    b->made += count;
    b->armed += bytes;
    b->warps |= 1u << (ptx::thread_rank() / 32 & 31);
    if (drops) b->dropped += count;
  });
}

// Those made at a cluster's address, where that is in this block.
TMA_DETAIL_OUTLINED void peer_arrivals(u32 barrier, u32 count, u32 bytes, bool drops = false) {
  if (!ptx::is_in_this_block(barrier)) return;
  const Barrier* const b = find(table(), barrier, false);
  if (b && (b->flags & live)) arrivals(barrier, count, bytes, drops);
}

TMA_DETAIL_OUTLINED void expects(u32 barrier, u32 bytes) {
  if (Barrier* const b = used(barrier)) with(*b, [&] { catch_up(*b), b->armed += bytes; });
}

// Bytes that a thread counts as arrived itself.
TMA_DETAIL_OUTLINED void completes(u32 barrier, u32 bytes) {
  if (Barrier* const b = used(barrier)) with(*b, [&] { catch_up(*b), b->issued += bytes; });
}

// A wait for the phase of this parity has ended.
TMA_DETAIL_OUTLINED void waited(u32 barrier, u32 parity) {
  Barrier* const b = find(table(), barrier, false);
  if (!b || !(b->flags & live)) return;
  const auto is_news = [&] { return parity > 1 || *const_cast<volatile u32*>(&b->parity) == parity; };
  if (!is_news()) return;
  ptx::one_by_one([&] {  // most threads find it known by then
    if (is_news()) locked(*b, [&] { catch_up(*b); });
  });
}

// --- copies ---

// A copy of `bytes` to `place`, of which `counted` come to this block and count on `barrier`.
TMA_DETAIL_OUTLINED void copies(u32 barrier, u32 place, u32 bytes, u32 counted) {
  Barrier* const b = used(barrier);
  if (!b) return;
  Table&    t  = table();
  const u32 me = ptx::thread_rank() + 1;
  for (u32 i = 0; i < TMA_CHECKED_BARRIERS && counted > 0; ++i) {
    const Barrier& other = t.barrier[i];
    if (!(other.flags & live) || other.place_bytes == 0) continue;
    if (place < other.place + other.place_bytes && other.place < place + bytes &&
        !ptx::is_phase_over(address_of(other), other.parity))
      fail(&other, address_of(other),
           "a load goes where an earlier one, which completes on this barrier, has not arrived yet: wait for that one, and "
           "let "
           "its readers release the tile, before it is loaded again; the place",
           place);
  }
  with(*b, [&] {
    catch_up(*b);
    if (!(b->flags & foreign) && b->made >= b->expected)
      fail(b, barrier,
           "a copy is issued for a phase that has all its arrivals: it is issued twice, or before the wait for the last "
           "round; "
           "bytes",
           bytes);
    if (b->expected == 1 && b->issuer != 0 && b->issuer != me)
      fail(b, barrier, "the copies of one phase are issued by one thread, and another has issued some: the first was thread",
           b->issuer - 1);
    b->issuer = me;
    b->issued += counted;
    b->copies += 1;
    if (counted > 0) b->place = place, b->place_bytes = bytes;
  });
}

// --- the block's scope: how many threads are in it, so that the last one looks for what is still on its way ---

TMA_DETAIL_OUTLINED void enter_block() { atomicAdd(&table().threads, 1u); }

TMA_DETAIL_OUTLINED void leave_block() {
  Table& t = table();
  if (atomicSub(&t.threads, 1u) != 1) return;
  for (u32 i = 0; i < TMA_CHECKED_BARRIERS; ++i) {
    Barrier& b = t.barrier[i];
    if ((b.flags & (live | of_block | foreign)) == (live | of_block) && b.issued > 0 && b.made >= b.expected &&
        !ptx::is_phase_over(address_of(b), b.parity))
      fail(
          &b, address_of(b),
          "the block ends with a load on its way, which will write into another block's shared memory: wait for every phase "
          "that is armed; bytes",
          b.issued);
  }
}

}  // namespace detail::notes

namespace ptx {

/// What a place in shared memory is called, `format` with one or two numbers in it, and whose it is.
TMA_DETAIL_OUTLINED void describe(const void* place, u32 bytes, const char* format, int a = 0, int b = 0,
                                  const char* owner = nullptr) {
  if (bytes != sizeof(u64)) return;  // no barrier
  if (detail::notes::Barrier* const n = detail::notes::find(detail::notes::table(), shared_address(place), true))
    n->name = format, n->a = a, n->b = b, n->owner = owner;
}

/// Which role the calling thread has.
TMA_DETAIL_OUTLINED void enter_role(const char* role) { detail::notes::table().warp[thread_rank() / 32 & 31].role = role; }

}  // namespace ptx
}  // namespace tma::inline TMA_ABI

#endif  // TMA_DETAIL_WATCHED

#include "../core/epilogue.hpp"
