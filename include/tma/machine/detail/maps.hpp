// Tensor maps in global memory: who wrote one, and whether the engine knows; and edits, there or in shared memory.
#pragma once

#include "../../core/map_field.hpp"
#include "meet.hpp"

namespace tma::machine::model {

using tma::detail::MapField;

inline bool knows(const MapFence& f, u32 actor, u32 epoch) {
  return f.actor == actor ? epoch <= f.epoch : at(f.base->known, actor) >= epoch;
}

inline MapFence map_fence(Thread& t) {
  MapFence f{t.actor, t.clock.now, t.clock.base, t.cluster->launch->map_sequence};
  ++t.clock.now;
  return f;
}

inline const char* const acquire_words =
    "the thread that issues, or one of its block that it has met since, acquires the 128 "
    "bytes after they were written (tma::acquire: fence.proxy.tensormap)";

[[noreturn]] inline void stale(Thread& t, const Site& site, const void* map, const std::string& why) {
  fault(t, Kind::stale_descriptor, site,
        words(t) + format(" uses the descriptor at %p in global memory, which ", map) + why +
            ". It may find the old bytes: " + acquire_words);
}

// What a thread of this cluster has written into the map: released by somebody who knew of it, before the acquire.
inline void check_written(Thread& t, const Site& site, const void* map, const MapFence& acquired) {
  Cluster& cl = *t.cluster;
  for (u32 i = 0; i < 128; i += granule_bytes)
    for (Access& a : cl.shadow.global(reinterpret_cast<std::uintptr_t>(map) + i).writes) {
      if (a.kind != AccessKind::thread) continue;
      const Thread&     by    = *cl.thread(a.actor);
      const std::string wrote = thread_words(by) + " wrote" + in_brackets(place_of(by, a.pc));
      if (!knows(acquired, a.actor, a.epoch)) stale(t, site, map, wrote + " and which has not been acquired since");
      bool released = false;
      for (const MapFence& r : cl.map_releases)
        released = released || (knows(r, a.actor, a.epoch) && knows(acquired, r.actor, r.epoch));
      if (!released)
        stale(t, site, map,
              wrote + " and nobody has released to the engine (tensormap.cp_fenceproxy, or a release by "
                      "fence.proxy.tensormap)");
    }
}

// A copy goes through a map in global memory.
inline void use_map(Thread& t, Copy& c, const void* map) {
  Cluster&        cl       = *t.cluster;
  const MapEdit*  edit     = nullptr;
  const MapFence* acquired = nullptr;
  if (const auto e = cl.launch->map_edits.find(map); e != cl.launch->map_edits.end()) edit = &e->second;
  if (auto found = cl.map_acquires.find(map); found != cl.map_acquires.end())
    for (const MapFence& f : found->second)  // the newest that counts here
      if (cl.thread(f.actor)->block == t.block && t.clock.known(f.actor) >= f.epoch) acquired = &f;
  if (!acquired)
    stale(t, c.site, map,
          (edit ? edit->by + " has written" + in_brackets(edit->where)
                : std::string("the host, or an earlier kernel, has written")) +
              ", and which has not been acquired in this block");
  if (edit && edit->cluster != cl.number &&
      (edit->released == 0 || edit->released > acquired->sequence || edit->sequence > acquired->sequence))
    stale(t, c.site, map,
          edit->by + " has written" + in_brackets(edit->where) +
              (edit->released ? " after this block has acquired it" : " and not released to the engine"));
  check_written(t, c.site, map, *acquired);
  for (u32 i = 0; cl.grids && i < 128; i += granule_bytes)
    check_grids(t, reinterpret_cast<std::uintptr_t>(map) + i, 0xffff, false, false, c.site.pc[0],
                " issues a copy through the descriptor in ");
  Granule& g = cl.shadow.global(reinterpret_cast<std::uintptr_t>(map));
  // The newest uses are enough: lists are not to grow without end.
  if (g.reads.size() > 1024) g.reads.forget(0xffff, [&](const Access& a) { return a.copy + 512 > c.number; });
  g.reads.push(cl.shadow.arena, {c.site.pc[0], t.committed + 1, c.number, u16(actor(cl, t.read_actor)), 0xffff,
                                 c.type == Copy::load ? AccessKind::map_of_load : AccessKind::map_of_store});
}

inline void remember_edit(Thread& t, const void* map, const Site& site) {
  Launch& l        = *t.cluster->launch;
  l.map_edits[map] = {++l.map_sequence, 0, t.cluster->number, words(t), place_of(t, site)};
}

inline void acquire_map(Thread& t, const void* map) {
  ++t.accesses;
  auto& list = t.cluster->map_acquires[map];
  std::erase_if(list, [&](const MapFence& f) { return f.actor == t.actor; });
  list.push_back(map_fence(t));
}

inline void release_maps(Thread& t) {
  ++t.accesses;
  Cluster& cl = *t.cluster;
  cl.map_releases.push_back(map_fence(t));
  ++cl.launch->map_sequence;
  for (auto& [map, edit] : cl.launch->map_edits)
    if (edit.cluster == cl.number) edit.released = cl.launch->map_sequence;
}

// --- edits -----------------------------------------------------------------------------------------------------------

// 128 bytes, by plain words: a call of memcpy would be seen as the kernel's.
struct MapBytes {
  u64 word[16] = {};

  static MapBytes of(const void* map) {
    MapBytes b;
    for (int i = 0; i < 16; ++i) b.word[i] = static_cast<const volatile u64*>(map)[i];
    return b;
  }
  void write(void* map) const {
    for (int i = 0; i < 16; ++i) static_cast<volatile u64*>(map)[i] = word[i];
  }
  bool is_zero() const {
    for (u64 w : word)
      if (w) return false;
    return true;
  }
};

// Where a map keeps what belongs to a dimension, counted from the fastest: those beyond its rank, in the places left.
inline int place_of_dimension(int rank, int i) { return i < rank ? rank - 1 - i : i; }
inline int place_of_stride(int rank, int i) { return i < rank ? rank - 1 - i : i - 1; }

inline void set_rank(machine::detail::EncodedMap& m, int rank) {
  const machine::detail::EncodedMap old = m;
  for (int i = 0; i < 5; ++i) {
    const int from = place_of_dimension(old.rank, i), to = place_of_dimension(rank, i);
    m.extent[to]         = old.extent[from];
    m.box[to]            = old.box[from];
    m.element_stride[to] = old.element_stride[from];
    if (i > 0) m.stride[place_of_stride(rank, i)] = old.stride[place_of_stride(old.rank, i)];
  }
  m.rank = u8(rank);
}

inline ElementType element_of_number(u64 number) {
  for (int i = 0; i < 16; ++i)
    if (tma::detail::map_number(ElementType(i)) == number) return ElementType(i);
  return ElementType(15);
}

inline void set_field(machine::detail::EncodedMap& m, MapField field, int dimension, u64 value) {
  const int d = place_of_dimension(m.rank, dimension);
  switch (field) {
    case MapField::address: m.base = value; break;
    case MapField::rank: set_rank(m, int(value) + 1); break;
    case MapField::box: m.box[d] = u16(value); break;
    case MapField::extent: m.extent[d] = value == 0 ? i64(1) << 32 : i64(value); break;
    case MapField::stride: m.stride[place_of_stride(m.rank, dimension + 1)] = i64(value); break;
    case MapField::element_stride: m.element_stride[d] = u8(value); break;
    case MapField::element_type: m.type = u8(element_of_number(value)); break;
    case MapField::interleave: m.interleave = u8(value); break;
    case MapField::swizzle:
      if (value != 3 || m.swizzle < 3) m.swizzle = u8(value);
      break;
    case MapField::swizzle_atom:
      if (m.swizzle >= 3) m.swizzle = u8(3 + value);
      break;
    case MapField::fill: m.fill = u8(value); break;
  }
}

// Writes one field of the 128 bytes at `map`, which have been looked at.
inline void edit_map(Thread& t, const Site& site, void* map, MapField field, int dimension, u64 value) {
  MapBytes                    bytes = MapBytes::of(map);
  machine::detail::EncodedMap m{};
  std::memcpy(&m, bytes.word, sizeof m);
  if (!bytes.is_zero() && m.seal != machine::detail::seal_of(&bytes))
    fault(t, Kind::bad_descriptor, site,
          words(t) + " edits 128 bytes that are neither a descriptor nor all zero: begin with a copy of one");
  set_field(m, field, dimension, value);
  std::memcpy(bytes.word, &m, sizeof m);
  bytes.word[0] = machine::detail::seal_of(&bytes);
  bytes.write(map);
}

inline void check_map_address(Thread& t, const Site& site, u64 address, bool global) {
  if (address % 64 != 0)
    fault(t, Kind::misaligned_address, site, words(t) + " edits a tensor map at an address that is no multiple of 64");
  rt::Allocation a{};
  const auto*    first = reinterpret_cast<const char*>(address);
  const bool     inside =
      rt::is_device_memory(first) ? rt::find_allocation(first, a) && first + 128 <= a.data + a.bytes : rt::is_global(first);
  if (global && !inside)
    fault(t, Kind::out_of_bounds, site,
          words(t) + format(" edits a tensor map at %p, which is not 128 bytes of an allocation of device memory",
                            static_cast<const void*>(first)));
}

}  // namespace tma::machine::model
