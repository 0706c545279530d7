// Copies move, piece by piece; and groups of stores.
#pragma once

#include "engine.hpp"

namespace tma::machine::model {

// --- moving --------------------------------------------------------------------------------------------------------

// The i-th chunk to move: in order, backwards, or from somewhere on and round.
inline u32 nth(const Copy& c, u32 i) {
  const u32 n = u32(c.chunks.size());
  if (c.order == 0) return i;
  if (c.order == 1) return n - 1 - i;
  const u32 at = (i + c.order % n) % n;
  return c.order & 0x10000 ? n - 1 - at : at;
}

inline void finish(Cluster& cl, Copy& c) {
  Launch& l = *cl.launch;
  if (l.record)
    l.spans.push_back({format("block %u copies", cl.thread(c.issuer)->block->number),
                       copy_words(c) + format(" %u B", c.bytes), c.start, c.finish});
  std::erase(cl.in_flight, &c);
  std::vector<Chunk>().swap(c.chunks);
  std::vector<u8>().swap(c.staging);
}

inline void wake_group_waiter(Thread& s) {
  if (s.waiting == Waiting::group_read || s.waiting == Waiting::group_visible) make_ready(s);
}

// Moves up to `most` chunks of a copy.
inline void advance(Cluster& cl, Copy& c, u32 most) {
  const u32 n = u32(c.chunks.size());
  progress(cl);
  if (c.type == Copy::async_store) {
    char* to = cl.at(c.shared_first);
    if (c.combine) c.combine(to, c.staging.data());
    else std::memcpy(to, c.staging.data(), c.bytes);
    finish(cl, c);
    complete_tx(cl, c, c.bytes, c.finish);
    return;
  }
  if (c.type != Copy::store) {
    const u32 end   = c.next + std::min(n - c.next, most);
    u32       moved = 0;
    for (; c.next < end; ++c.next) {
      const Chunk& k  = c.chunks[nth(c, c.next)];
      auto*        to = reinterpret_cast<unsigned char*>(cl.at(k.shared));
      if (c.type == Copy::send) {
        const char* from = cl.at(c.source + (k.shared - c.shared_first));
        if (c.combine) c.combine(to, from);
        else if (c.reduces) reduce_bytes(c.operation, c.element, to, reinterpret_cast<const unsigned char*>(from), 16);
        else std::memcpy(to, from, 16);
      } else if (c.tensor) load_chunk(c.box, k, reinterpret_cast<unsigned char*>(c.base + k.global), to);
      else std::memcpy(to, c.base + k.global, 16);
      moved += 16;
    }
    if (c.next == n) finish(cl, c);
    complete_tx(cl, c, moved, c.finish);
    return;
  }
  Thread& s = *cl.thread(c.issuer);
  if (c.next < n) {
    const u32 end = c.next + std::min(n - c.next, most);
    for (; c.next < end; ++c.next) {
      const u32 i = nth(c, c.next);
      if (c.chunks[i].stored_bytes()) std::memcpy(c.staging.data() + i * 16, cl.at(c.chunks[i].shared), 16);
    }
    if (c.next == n && --s.groups[c.group].pending_reads == 0) wake_group_waiter(s);
    if (n) return;
  }
  const u32 end = c.written + std::min(n - c.written, most);
  for (; c.written < end; ++c.written) {
    const u32            i    = nth(c, c.written);
    const unsigned char* from = c.staging.data() + i * 16;
    auto*                to   = reinterpret_cast<unsigned char*>(c.base + c.chunks[i].global);
    if (c.reduces) reduce_chunk(c.operation, c.element, c.chunks[i], from, to);
    else if (c.byte_mask == 0xffff) store_chunk(c.chunks[i], from, to);
    else
      for (int k = 0; k < 16; ++k)
        if (c.byte_mask >> k & 1) to[k] = from[k];
  }
  if (c.written == n) {
    c.done = true;
    if (--s.groups[c.group].pending_writes == 0) wake_group_waiter(s);
    finish(cl, c);
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
