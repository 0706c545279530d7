// One launch under one schedule: what its blocks share, and the reports it collects.
#pragma once

#include "grids.hpp"
#include "state.hpp"
#include "symbols.hpp"

#include <cstdio>
#include <set>

namespace tma::machine::model {

inline Thread* current = nullptr;  // the thread that runs: only one does, whatever its block

enum class Order : u8 { late, early, random, victims, reverse, timed, exhaustive };

// Makes the choices of Strategy::exhaustive: a walk through the tree of schedules that leaves out states seen before.
struct Explorer {
  struct Step {
    u32 chosen, options;
  };
  std::vector<Step> path;
  std::size_t       depth = 0;
  std::set<u64>     seen;
  i64               most      = 0;
  bool              exhausted = true;

  // False: this state has been explored; the run may end.
  bool choose(u32 options, u64 state, u32& chosen) {
    if (depth == path.size()) {
      if (i64(seen.size()) >= most) {  // this run goes on to its end, and is the last
        exhausted = false;
        chosen    = 0;
        return true;
      }
      if (!seen.insert(state).second) return false;
      path.push_back({0, options});
    }
    chosen = path[depth++].chosen;
    return true;
  }
  // On to the next leaf; false when all have been seen.
  bool next() {
    depth = 0;
    while (!path.empty() && ++path.back().chosen >= path.back().options) path.pop_back();
    return !path.empty() && exhausted;
  }
};

// The newest edit of a tensor map in global memory, for the blocks of other clusters.
struct MapEdit {
  u64         sequence = 0, released = 0;
  u32         cluster = 0;
  std::string by;
  Place       where;
};

struct Launch {
  rt::LaunchShape shape{};
  const char*     kernel = "";
  void (*call)(void*)    = nullptr;
  void*     context      = nullptr;
  Order     order        = Order::late;
  u64       seed = 0, schedule = 0;
  Random    random       = 1;
  u32       engine_share = 8;  // one step in so many is the engine's, where the order is random
  Explorer* explorer     = nullptr;
  bool      record       = false;  // the timeline

  bool                                     aborted = false, pruned = false;
  int                                      most_reports = 10;
  std::vector<Report>                      reports;
  std::set<std::pair<int, const void*>>    said;
  int                                      error = 0;  // cudaError_t
  std::vector<Span>                        spans;
  i64                                      steps = 0, switches = 0, copies = 0;
  std::unordered_map<const void*, MapEdit> map_edits;
  u64                                      map_sequence = 0;
  const GridUses*                          before       = nullptr;  // of grids that may still run: a programmatic launch
  GridUses*                                uses         = nullptr;  // of this one
  bool                                     passes_on    = false;    // the next grid may begin before those have ended

  u32 cluster_blocks() const { return shape.cluster.x * shape.cluster.y * shape.cluster.z; }
  u32 clusters() const { return shape.grid.x * shape.grid.y * shape.grid.z / cluster_blocks(); }
  u32 block_threads() const { return shape.block.x * shape.block.y * shape.block.z; }
};

template <class... A> std::string format(const char* text, A... arguments) {
  char b[1024];
  if constexpr (sizeof...(A) == 0) std::snprintf(b, sizeof b, "%s", text);
  else std::snprintf(b, sizeof b, text, arguments...);
  return b;
}

inline std::string words(const Block& b) {
  const auto& g = b.launch->shape.grid;
  return g.y * g.z > 1 ? format("block (%u, %u, %u)", b.index.x, b.index.y, b.index.z) : format("block %u", b.number);
}

inline std::string words(const Thread& t) {
  std::string s = format("thread %u", t.rank);
  if (t.role) s += format(" (%s)", t.role);
  const auto& g = t.cluster->launch->shape.grid;
  if (g.x * g.y * g.z > 1) s += " of " + words(*t.block);
  return s;
}

// The same in short: its block only where others are near.
inline std::string thread_words(const Thread& t) {
  return format("thread %u", t.rank) + (t.cluster->is_one() ? "" : " of " + words(*t.block));
}

inline Place place_of(const Thread& t, const Site& site) {
  return {int(t.block->number), int(t.rank), t.role ? t.role : "", source_of(site.pc, Site::depth)};
}
inline Place place_of(const Thread& t, const void* pc) {
  return {int(t.block->number), int(t.rank), t.role ? t.role : "", source_of(&pc, 1)};
}
inline std::string at_source(const Place& p) { return p.source.empty() ? "" : " at " + p.source; }
inline std::string in_brackets(const Place& p) { return p.source.empty() ? "" : " (" + p.source + ")"; }

inline const Region* region_of(const Cluster& cl, u32 offset) {
  const Region* best = nullptr;
  for (const Region& r : cl.regions)
    if (offset >= r.first && offset - r.first < r.bytes && (!best || r.bytes <= best->bytes)) best = &r;
  return best;
}

// In a cluster, whose it is.
inline std::string of_block(const Cluster& cl, u32 address) {
  return cl.is_one() ? "" : " of " + words(*cl.blocks[address >> rank_shift]);
}

// The name of a place in shared memory.
inline std::string name_of(const Cluster& cl, u32 address) {
  const u32     offset = address & offset_mask;
  const Region* r      = region_of(cl, offset);
  std::string   name;
  if (r) name = r->first == offset ? r->name : r->name + format(" + %u", offset - r->first);
  else if (offset >= variables_address) name = "a __shared__ variable";
  else if (cl.dynamic_bytes && offset >= cl.dynamic_first && offset - cl.dynamic_first < cl.dynamic_bytes)
    name = format("dynamic shared memory + %u", offset - cl.dynamic_first);
  else name = format("shared memory at 0x%x", offset);
  return name + of_block(cl, address);
}

// The name of what holds the address, without the offset in it.
inline std::string object_of(const Cluster& cl, u32 address) {
  const Region* r = region_of(cl, address & offset_mask);
  return r ? r->name + of_block(cl, address) : name_of(cl, address);
}

// What room a block has, after what was found outside of it.
inline std::string room_words(const Cluster& cl) {
  std::string s =
      format(": the block has %u bytes of static shared memory here and %u of dynamic shared memory, which the "
             "launch gives (.shared). ",
             cl.used - first_address - (cl.dynamic_bytes ? cl.dynamic_bytes + dynamic_shift : 0), cl.dynamic_bytes);
  return s + (cl.dynamic_bytes ? "Fix: launch with a larger .shared (tma::shared_bytes<T>), or mend the address"
                               : "Fix: launch with .shared = tma::shared_bytes<T>, or mend the address");
}

// A fault is said once for each kind and line; a kernel that cannot go on ends with it.
inline bool is_news(Launch& l, Kind kind, const void* pc) {
  return int(l.reports.size()) < l.most_reports && l.said.insert({int(kind), pc}).second;
}

// What mends a fault of this kind, where its report does not say it in words of its own.
inline const char* fix_of(Kind kind) {
  switch (kind) {
    case Kind::unwaited_load: return "wait for the load in every thread that uses its bytes: arrived.wait()";
    case Kind::unwaited_cp_async: return "wait for the group of copies, then let the threads meet";
    case Kind::unfenced_store:
    case Kind::unordered_store: return "block.publish(tile), by all threads that write it, before the store";
    case Kind::store_of_unwaited_load: return "wait for the load before the store is issued";
    case Kind::overwritten_source:
      return "wait_source_free() in the thread that stores, then let the threads meet; of a send, be told by the block that "
             "has it";
    case Kind::early_reuse:
      return "block.release(tile) after the last read, of a tile for several blocks cluster.release(tile); in a pipeline "
             "release the stage after the last read";
    case Kind::unfenced_reuse:
      return "block.release(tile), or a proxy fence in the thread that issues, after the threads met";
    case Kind::load_over_load: return "wait for the first copy before the second is issued";
    case Kind::invisible_store:
    case Kind::reduction_race: return "wait_visible() in the thread that stored, then let the threads meet";
    case Kind::unfenced_global: return "tma::publish_global, then let the threads meet; or use it in another launch";
    case Kind::data_race:
      return "block.sync(), between blocks cluster.sync(), or a barrier that both sides use; or atomics with fences";
    case Kind::uninitialised: return "write it first, or load it";
    case Kind::outside_tile: return "keep each index at 0 to the extent - 1";
    case Kind::barrier_uninitialised:
      return "auto [block, arrived] = tma::this_block(barrier), in a cluster tma::this_cluster, by all threads, before its "
             "first use";
    case Kind::barrier_initialised_twice: return "initialise it once, by one thread, outside of loops";
    case Kind::barrier_overwritten: return "keep the barrier apart from what is written";
    case Kind::arrivals_over: return "let as many threads arrive in each phase as the barrier was made for";
    case Kind::bytes_short:
    case Kind::bytes_over: return "let the barrier expect the bytes that are issued; tma::LoadBatch does";
    case Kind::transaction_overflow: return "use several barriers";
    case Kind::phase_missed: return "let every thread that waits wait for every phase";
    case Kind::phase_unordered: return "let the waiting threads arrive, or meet, before the next phase can complete";
    case Kind::exit_with_load: return "wait for every load before the block ends";
    case Kind::exit_with_store:
      return "wait_source_free() before the block ends; of a send, let the cluster meet at the end";
    case Kind::peer_ended: return "cluster.sync() at the end, or the end of a tma::Cluster, which meets";
    case Kind::uncommitted_store: return "commit a group for it; tma::StoreGroup does";
    case Kind::misaligned_address:
      return "take tiles, buffers and barriers from tma::shared, which aligns them; tma::BulkCopy1D copies from any address";
    case Kind::bad_descriptor:
      return "make it by tma::make_descriptor, take it as const __grid_constant__, and pass it on by const reference";
    case Kind::stale_descriptor: return "tma::acquire in the thread that issues, after DescriptorEdit::publish";
    case Kind::descriptor_in_use: return "tma::drain before the descriptor is written, then let the threads meet";
    case Kind::diverged: return "let all threads that the call is for make the same call";
    default: return nullptr;
  }
}

inline void add_report(Launch& l, Report r) {
  r.schedule = int(l.schedule);
  r.seed     = l.seed;
  r.text     = std::string("tma machine: ") + name_of(r.kind) + ": " + r.text;
  if (const char* fix = fix_of(r.kind); fix && r.text.find("Fix: ") == std::string::npos)
    r.text += std::string(". Fix: ") + fix;
  l.reports.push_back(std::move(r));
  if (int(l.reports.size()) >= l.most_reports) l.aborted = true;
}

}  // namespace tma::machine::model
