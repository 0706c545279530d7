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

// A fault is said once for each kind and line; a kernel that cannot go on ends with it.
inline bool is_news(Launch& l, Kind kind, const void* pc) {
  return int(l.reports.size()) < l.most_reports && l.said.insert({int(kind), pc}).second;
}

inline void add_report(Launch& l, Report r) {
  r.schedule = int(l.schedule);
  r.seed     = l.seed;
  r.text     = std::string("tma machine: ") + name_of(r.kind) + ": " + r.text;
  l.reports.push_back(std::move(r));
  if (int(l.reports.size()) >= l.most_reports) l.aborted = true;
}

}  // namespace tma::machine::model
