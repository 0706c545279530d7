// Runs a grid: blocks, and the shared memory they have.
#pragma once

#include <link.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "../memory.hpp"
#include "scheduler.hpp"

namespace tma::machine::model {

// --- blocks ---------------------------------------------------------------------------------------------------------

inline char* new_window() {
  void* p = mmap(nullptr, 2 * window_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) std::abort();
  const auto a = (reinterpret_cast<std::uintptr_t>(p) + window_bytes - 1) / window_bytes * window_bytes;
  return reinterpret_cast<char*>(a);
}

// The thread-local variables of the program, as this OS thread has them: the kernel's `__shared__` variables are among them.
inline void find_variables(Block& b) {
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* block) {
        auto& b = *static_cast<Block*>(block);
        for (int i = 0; i < info->dlpi_phnum; ++i)
          if (info->dlpi_phdr[i].p_type == PT_TLS && info->dlpi_tls_data) {
            b.variables     = static_cast<const char*>(info->dlpi_tls_data);
            b.variables_end = b.variables + info->dlpi_phdr[i].p_memsz;
          }
        return 1;  // the program itself comes first, and is enough
      },
      &b);
}

inline void start_block(Block& b, Launch& l, u32 number) {
  const u32 n = l.block_threads();
  b.launch    = &l;
  b.number    = number;
  b.index = {number % l.shape.grid.x, number / l.shape.grid.x % l.shape.grid.y, number / l.shape.grid.x / l.shape.grid.y};
  const Index3 c = l.shape.cluster;
  b.rank         = c.x * c.y * c.z > 1 ? b.index.x % c.x + (b.index.y % c.y + b.index.z % c.z * c.y) * c.x : 0;
  if (!b.window) b.window = new_window();
  find_variables(b);
  b.dynamic_first = first_address + dynamic_shift;
  b.dynamic_bytes = u32(l.shape.dynamic_shared);
  b.used          = b.dynamic_bytes ? b.dynamic_first + b.dynamic_bytes : first_address;
  b.copies.clear();
  b.in_flight.clear();
  b.barriers.clear();
  b.statics.clear();
  b.regions.clear();
  b.atomics.clear();
  b.shadow.reset();
  b.ready.clear();
  for (Meeting& m : b.meetings) m = {};
  b.actors                  = n;
  b.alive                   = n;
  b.idle                    = 0;
  b.changes                 = 0;
  b.engine_free             = 0;
  const SnapshotRef nothing = SnapshotRef::make();
  b.threads.resize(n);
  for (u32 r = 0; r < n; ++r) {
    if (!b.threads[r]) b.threads[r] = std::make_unique<Thread>();
    Thread& t    = *b.threads[r];
    t            = Thread();
    t.block      = &b;
    t.rank       = r;
    t.warp       = r / 32;
    t.lane       = r % 32;
    t.index      = {r % l.shape.block.x, r / l.shape.block.x % l.shape.block.y, r / l.shape.block.x / l.shape.block.y};
    t.stack      = b.stacks.get(r);
    t.clock.self = r;
    t.clock.base = nothing;
    t.fiber.start(t.stack, Stacks::bytes, thread_main, &t);
    t.ready = true;
    b.ready.push(&t);
  }
  if (l.order == Order::victims) {  // a lane, a warp, or a few threads
    const u64 kind = below(l.random, 3);
    if (kind == 0) b.threads[below(l.random, n)]->victim = true;
    else if (kind == 1)
      for (u32 w = u32(below(l.random, (n + 31) / 32)), r = w * 32; r < n && r < w * 32 + 32; ++r)
        b.threads[r]->victim = true;
    else
      for (u32 r = 0; r < n; ++r) b.threads[r]->victim = below(l.random, 4) == 0;
  }
}

// Blocks run one after another, on the OS thread of the launch. Only where one has to wait for another block does that one
// start beside it, on an OS thread of its own, which is where its `__shared__` variables live; they run in turns.
class Worker {
public:
  ~Worker() {
    if (!thread_.joinable()) return;
    hand(nullptr, nullptr, 0);
    thread_.join();
  }
  // Runs the block on this worker's thread until it ends or stalls. `start`: it begins.
  Status run(Block& b, Launch* start, u32 number) {
    if (!thread_.joinable()) thread_ = std::thread([this] { loop(); });
    hand(&b, start, number);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !busy_; });
    return status_;
  }

private:
  void hand(Block* b, Launch* start, u32 number) {
    std::lock_guard lock(mutex_);
    block_  = b;
    start_  = start;
    number_ = number;
    busy_   = true;
    changed_.notify_all();
  }
  void loop() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return busy_; });
      if (!block_) return;
      if (start_) start_block(*block_, *start_, number_);
      status_ = run_block(*block_);
      busy_   = false;
      changed_.notify_all();
    }
  }
  std::thread             thread_;
  std::mutex              mutex_;
  std::condition_variable changed_;
  Block*                  block_  = nullptr;
  Launch*                 start_  = nullptr;
  u32                     number_ = 0;
  bool                    busy_   = false;
  Status                  status_ = Status::finished;
};

struct Resident {
  Block                   block;
  std::unique_ptr<Worker> worker;  // none: the launch's own thread
  bool                    active = false, started = false;
  u32                     number    = 0;
  u64                     fruitless = 0;  // turns in a row in which it only polled, and no block changed anything
};

inline std::vector<std::unique_ptr<Resident>>& residents() {
  static auto* list = new std::vector<std::unique_ptr<Resident>>;
  return *list;
}

inline constexpr std::size_t most_resident = 64;

inline void run_grid(Launch& l) {
  auto&     pool = residents();
  const u32 n    = l.blocks();
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
      const u64 before = r.started ? r.block.changes : 0;
      r.started        = true;
      r.block.idle     = 0;
      Status status;
      if (r.worker) status = r.worker->run(r.block, start, r.number);
      else {
        if (start) start_block(r.block, l, r.number);
        status = run_block(r.block);
      }
      if (status == Status::aborted) break;
      if (r.block.changes != before)
        for (auto& other : pool) other->fruitless = 0;
      if (status == Status::finished) {
        r.active = false;
        ++finished;
        moved = true;
        for (auto& t : r.block.threads) l.steps += i64(t->accesses);
      } else if (!r.block.ready.empty()) {
        // It polls: for a block that has not started yet, or without end.
        const bool alone = next == n && finished + 1 == n;
        if (++r.fruitless < (alone ? 2 : 200)) moved = true;
      }
      if (status == Status::stalled && r.block.ready.empty()) {
        // Nothing in this block can change by another's doing.
        report_hang(r.block, Kind::deadlock);
        break;
      }
      if (i == 0 && !r.active) break;  // the first place is free again: the next block takes it
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
          report_hang(r->block, Kind::livelock);
          break;
        }
    }
  }
}

}  // namespace tma::machine::model
