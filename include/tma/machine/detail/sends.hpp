// Copies between the blocks of a cluster: from shared memory, and from registers.
#pragma once

#include "moving.hpp"

namespace tma::machine::model {

// From this block's shared memory into another's.
inline void issue_send(Thread& s, Copy& c, u32 barrier_address) {
  Cluster& cl      = *s.cluster;
  Barrier& barrier = completes_on(s, c, barrier_address);
  for (u32 i = 0; i < c.bytes; i += 16) {
    check_room(s, c, c.source + i);
    check_room(s, c, c.shared_first + i);
    Granule&  from    = cl.shadow.shared(c.source + i);
    const u16 written = from.initialised;  // the holes of a tile go with it
    engine_reads(s, c, from, c.source + i, 0xffff, true);
    from.reads.push(cl.shadow.arena, {c.site.pc[0], 0, c.number, 0, 0xffff, AccessKind::send_source});
    engine_writes(s, c, c.shared_first + i, 0xffff, written);
    c.chunks.push_back({c.shared_first + i, i64(i), 16, false});
  }
  start_on(s, c, barrier);
}

// 4 to 16 bytes from registers into another block's shared memory: stored, or combined with what is there.
inline void issue_async_store(Thread& s, Copy& c, const void* value, u32 barrier_address) {
  if (c.shared_first % c.bytes != 0)
    fault(s, Kind::misaligned_address, c.site,
          words(s) + format(" issues an asynchronous store of %u bytes at 0x%x, which is no multiple of that", c.bytes,
                            c.shared_first & offset_mask));
  if (c.shared_first >> rank_shift == s.block->rank)
    say(s, Kind::undefined_copy, c.site,
        words(s) + format(" issues %s, destination block = %u, which is its own: the destination of st.async and red.async "
                          "must be in another block of the cluster. Fix: write to the own block by an ordinary store, and "
                          "expect the other blocks' bytes alone",
                          a_copy(c).c_str(), s.block->rank),
        object_of(*s.cluster, c.shared_first));
  Barrier& barrier = completes_on(s, c, barrier_address);
  check_room(s, c, c.shared_first, c.bytes);
  const u16 mask = mask_of(c.shared_first % 16, c.bytes);
  engine_writes(s, c, c.shared_first / 16 * 16, mask, mask);
  const auto* first = static_cast<const u8*>(value);
  c.staging.assign(first, first + c.bytes);
  start_on(s, c, barrier);
}

}  // namespace tma::machine::model
