// Runs a grid: clusters of blocks, and the shared memory they have.
#pragma once

#include <link.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "../memory.hpp"
#include "scheduler.hpp"

namespace tma::machine::model {

// --- clusters -------------------------------------------------------------------------------------------------------

// Room for the windows of so many blocks. Of one block alone nothing lies above the window.
inline void make_windows(Cluster& cl, u32 blocks) {
  cl.span = blocks == 1 ? window_bytes : u64(blocks) << rank_shift;
  if (cl.mapped >= cl.span) return;
  if (cl.window) munmap(cl.window, cl.mapped);
  void* p =
      mmap(nullptr, cl.span + window_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) std::abort();
  const auto low = reinterpret_cast<std::uintptr_t>(p), at = (low + window_bytes - 1) / window_bytes * window_bytes;
  if (at > low) munmap(p, at - low);
  if (at < low + window_bytes) munmap(reinterpret_cast<void*>(at + cl.span), low + window_bytes - at);
  cl.window = reinterpret_cast<char*>(at);
  cl.mapped = cl.span;
}

// The thread-local variables of the program, as this OS thread has them: the kernel's `__shared__` variables are among them.
inline void find_variables(Cluster& cl) {
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* cluster) {
        auto& cl = *static_cast<Cluster*>(cluster);
        for (int i = 0; i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_TLS && info->dlpi_tls_data) {
            cl.variables     = static_cast<const char*>(info->dlpi_tls_data);
            cl.variables_end = cl.variables + info->dlpi_phdr[i].p_memsz;
          }
        return 1;  // the program itself comes first, and is enough
      },
      &cl);
  cl.variables_low  = ~0u;
  cl.variables_high = cl.loaded = 0;
}

// Block `rank` of the cluster.
inline void start_block(Cluster& cl, u32 rank, Index3 index) {
  const Launch& l = *cl.launch;
  const Index3  g = l.shape.grid, n = l.shape.block;
  if (!cl.blocks[rank]) cl.blocks[rank] = std::make_unique<Block>();
  Block& b  = *cl.blocks[rank];
  b         = Block();
  b.launch  = cl.launch;
  b.cluster = &cl;
  b.index   = index;
  b.number  = (index.z * g.y + index.y) * g.x + index.x;
  b.rank    = rank;
  b.size = b.alive          = l.block_threads();
  b.first                   = rank * b.size;
  const SnapshotRef nothing = SnapshotRef::make();
  for (u32 r = 0; r < b.size; ++r) {
    auto& slot = cl.threads[b.first + r];
    if (!slot) slot = std::make_unique<Thread>();
    Thread& t    = *slot;
    t            = Thread();
    t.block      = &b;
    t.cluster    = &cl;
    t.rank       = r;
    t.warp       = r / 32;
    t.lane       = r % 32;
    t.actor      = b.first + r;
    t.first_own  = (rank << rank_shift) + first_address;
    t.index      = {r % n.x, r / n.x % n.y, r / n.x / n.y};
    t.stack      = cl.stacks.get(t.actor);
    t.clock.self = t.actor;
    t.clock.base = nothing;
    t.fiber.start(t.stack, Stacks::bytes, thread_main, &t);
    t.ready = true;
    cl.ready.push(&t);
  }
}

// A lane, a warp, or a few threads; of a cluster also a block.
inline void choose_victims(Cluster& cl, Launch& l) {
  const u32 n = u32(cl.threads.size());
  switch (below(l.random, cl.is_one() ? 3 : 4)) {
    case 0: cl.thread(u32(below(l.random, n)))->victim = true; break;
    case 1: {
      const Block& b = *cl.blocks[below(l.random, cl.blocks.size())];
      const u32    w = u32(below(l.random, (b.size + 31) / 32));
      for (u32 r = w * 32; r < b.size && r < w * 32 + 32; ++r) cl.thread(b.first + r)->victim = true;
      break;
    }
    case 2:
      for (auto& t : cl.threads) t->victim = below(l.random, 4) == 0;
      break;
    default: {
      const u32 rank = u32(below(l.random, cl.blocks.size()));
      for (auto& t : cl.threads) t->victim = t->block->rank == rank;
    }
  }
}

// Cluster `number` of the grid: all of its blocks start.
inline void start_cluster(Cluster& cl, Launch& l, u32 number) {
  const Index3 c = l.shape.cluster, g = {l.shape.grid.x / c.x, l.shape.grid.y / c.y, l.shape.grid.z / c.z};
  const Index3 at = {number % g.x, number / g.x % g.y, number / g.x / g.y};
  const u32    n  = l.cluster_blocks();
  cl.launch       = &l;
  make_windows(cl, n);
  find_variables(cl);
  cl.dynamic_first = first_address + dynamic_shift;
  cl.dynamic_bytes = u32(l.shape.dynamic_shared);
  cl.used          = cl.dynamic_bytes ? cl.dynamic_first + cl.dynamic_bytes : first_address;
  cl.copies.clear();
  cl.in_flight.clear();
  cl.barriers.clear();
  cl.statics.clear();
  cl.regions.clear();
  cl.atomics.clear();
  cl.shared_tiles.clear();
  cl.map_acquires.clear();
  cl.map_releases.clear();
  cl.shadow.reset();
  cl.ready.clear();
  cl.meeting       = {};
  cl.meetings_over = 0;
  cl.met = cl.memo_from = SnapshotRef();
  cl.idle               = 0;
  cl.changes            = 0;
  cl.blocks.resize(n);
  cl.threads.resize(std::size_t(n) * l.block_threads());
  cl.alive = cl.actors = u32(cl.threads.size());
  for (u32 r = 0; r < n; ++r)
    start_block(cl, r, {at.x * c.x + r % c.x, at.y * c.y + r / c.x % c.y, at.z * c.z + r / c.x / c.y});
  cl.number = cl.blocks[0]->number;
  if (l.order == Order::victims) choose_victims(cl, l);
}

// Clusters run one after another, on the OS thread of the launch. Only where one has to wait for another does that one
// start beside it, on an OS thread of its own, which is where its `__shared__` variables live; they run in turns.
class Worker {
public:
  ~Worker() {
    if (!thread_.joinable()) return;
    hand(nullptr, nullptr, 0);
    thread_.join();
  }
  // Runs the cluster on this worker's thread until it ends or stalls. `start`: it begins.
  Status run(Cluster& cl, Launch* start, u32 number) {
    if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
    hand(&cl, start, number);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !busy_; });
    return status_;
  }

private:
  void hand(Cluster* cl, Launch* start, u32 number) {
    std::lock_guard lock(mutex_);
    cluster_ = cl;
    start_   = start;
    number_  = number;
    busy_    = true;
    changed_.notify_all();
  }
  void loop() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return busy_; });
      if (!cluster_) return;
      if (start_) start_cluster(*cluster_, *start_, number_);
      status_ = run_cluster(*cluster_);
      busy_   = false;
      changed_.notify_all();
    }
  }
  std::thread             thread_;
  std::mutex              mutex_;
  std::condition_variable changed_;
  Cluster*                cluster_ = nullptr;
  Launch*                 start_   = nullptr;
  u32                     number_  = 0;
  bool                    busy_    = false;
  Status                  status_  = Status::finished;
};

struct Resident {
  Cluster                 cluster;
  std::unique_ptr<Worker> worker;  // none: the launch's own thread
  bool                    active = false, started = false;
  u32                     number    = 0;
  u64                     fruitless = 0;  // turns in a row in which it only polled, and no cluster changed anything
};

inline std::vector<std::unique_ptr<Resident>>& residents() {
  static auto* list = new std::vector<std::unique_ptr<Resident>>;
  return *list;
}

inline constexpr std::size_t most_resident = 64;

inline void run_grid(Launch& l) {
  auto&     pool = residents();
  const u32 n    = l.clusters();
  u32       next = 0, finished = 0;
  for (auto& r : pool) r->active = false;
  const auto admit = [&]() -> bool {
    if (next == n) return false;
    std::size_t i = 0;
    while (i < pool.size() && pool[i]->active) ++i;
    if (i == most_resident) return false;
    if (i == pool.size()) {
      pool.push_back(std::make_unique<Resident>());
      if (i > 0) pool[i]->worker = std::make_unique<Worker>();
    }
    pool[i]->active  = true;
    pool[i]->started = false;
    const u32 k      = next++;
    // Those that may have to wait for one another begin in their order, unless all of them fit.
    const bool turned = n <= most_resident && (l.order == Order::random || l.order == Order::victims);
    pool[i]->number   = turned ? u32((k + l.schedule) % n) : n <= most_resident && l.order == Order::reverse ? n - 1 - k : k;
    pool[i]->fruitless = 0;
    return true;
  };
  admit();
  while (finished < n && !l.aborted) {
    bool moved = false, any = false;
    for (std::size_t i = 0; i < pool.size() && !l.aborted; ++i) {
      Resident& r = *pool[i];
      if (!r.active) continue;
      any              = true;
      Launch*   start  = r.started ? nullptr : &l;
      const u64 before = r.started ? r.cluster.changes : 0;
      r.started        = true;
      r.cluster.idle   = 0;
      Status status;
      if (r.worker) status = r.worker->run(r.cluster, start, r.number);
      else {
        if (start) start_cluster(r.cluster, l, r.number);
        status = run_cluster(r.cluster);
      }
      if (status == Status::aborted) break;
      if (r.cluster.changes != before)
        for (auto& other : pool) other->fruitless = 0;
      if (status == Status::finished) {
        r.active = false;
        ++finished;
        moved = true;
        for (auto& t : r.cluster.threads) l.steps += i64(t->accesses);
      } else if (!r.cluster.ready.empty()) {
        // It polls: for a cluster that has not started yet, or without end.
        const bool alone = next == n && finished + 1 == n;
        if (++r.fruitless < (alone ? 2 : 200)) moved = true;
      }
      if (status == Status::stalled && r.cluster.ready.empty()) {
        // Nothing in this cluster can change by another's doing.
        report_hang(r.cluster, Kind::deadlock);
        break;
      }
      if (i == 0 && !r.active) break;  // the first place is free again: the next cluster takes it
    }
    if (l.aborted) break;
    if (!any || !pool[0]->active) {
      if (admit()) continue;
    }
    if (finished < n && any) {
      bool all_poll = true;
      for (auto& r : pool) all_poll &= !r->active || r->started;
      if (all_poll && admit()) continue;
    }
    if (!moved && finished < n) {
      for (auto& r : pool)
        if (r->active) {
          report_hang(r->cluster, Kind::livelock);
          break;
        }
    }
  }
}

}  // namespace tma::machine::model
