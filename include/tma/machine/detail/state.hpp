// The state of a running grid: clusters of blocks, threads, copies, barriers.
#pragma once

#include "../../core/copy_chunks.hpp"
#include "../../core/copy_fault.hpp"
#include "../../core/place_fault.hpp"
#include "../../core/reduce_chunk.hpp"
#include "../machine.hpp"
#include "../runtime.hpp"
#include "clock.hpp"
#include "fiber.hpp"
#include "shadow.hpp"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tma::machine::model {

using tma::detail::i64;
using tma::detail::u16;
using tma::detail::u32;
using tma::detail::u64;
using u8 = unsigned char;

// The shared window of a block: 1 KiB that belongs to the system, dynamic shared memory, then the static objects in the
// order of their first use. On a device static objects come first; nothing may depend on that, and dynamic memory starts
// at the worst place that is allowed.
inline constexpr u32 window_bytes = 256 * 1024, first_address = 1024, dynamic_shift = 16, most_shared = 227 * 1024;
// `__shared__` variables of a kernel are thread-local variables of the program; they appear here.
inline constexpr u32 variables_address = window_bytes;
// Above these bits an address holds the rank of its block in the cluster. The windows of a cluster's blocks lie as far apart.
inline constexpr u32 rank_shift = 24, offset_mask = (1u << rank_shift) - 1, most_ranks = 16;

using Random = u64;
inline u64 next_random(Random& r) {  // xorshift64*
  r ^= r >> 12;
  r ^= r << 25;
  r ^= r >> 27;
  return r * 0x2545f4914f6cdd1dull;
}
inline u64 below(Random& r, u64 n) { return n <= 1 ? 0 : (next_random(r) >> 11) % n; }

// Where something was asked for: the return address in the kernel, and those of its callers.
struct Site {
  static constexpr int depth     = 8;
  const void*          pc[depth] = {};
};

struct Block;
struct Cluster;
struct Launch;

enum class Waiting : u8 { nothing, mbarrier, meeting, warp, cluster, group_read, group_visible, registers };

struct Group {  // of stores
  u32 pending_reads = 0, pending_writes = 0;
};

struct Thread {
  // What every access looks at stands together.
  Block*      block     = nullptr;
  Cluster*    cluster   = nullptr;
  char*       stack     = nullptr;
  u32         actor     = 0;  // in the cluster
  u32         first_own = 0;  // the address where shared memory of its block begins
  double      time      = 0;  // simulated cycles
  u64         accesses = 0, history = 0;
  const void* polled    = nullptr;  // a place that this thread reads again and again
  u32         elsewhere = 0;        // reads of other places since
  u32         idle      = 0;        // polls since this thread last saw a change
  u32         read_hint = 0;        // where this thread stood in the last list of readers
  u32         released  = 0;        // the epoch that the newest fence has ended
  ThreadClock clock;
  // What fences and relaxed operations hand on. A fence of block scope hands nothing to other blocks, nor takes from them.
  SnapshotRef release_fence, wide_fence, seen_by_atomics, seen_of_peers;
  ThreadClock shared_fence;  // what it knew at its newest fence that releases shared memory; without a base: there was none

  u32         rank = 0, warp = 0, lane = 0;  // in the block
  Index3      index{};
  Fiber       fiber;
  const char* parameters = nullptr;  // the kernel's frame ends here: parameters lie above, its variables below
  const char* role       = nullptr;
  u32         left_ring  = 0;  // the address of the first barrier of the ring that it was done with last

  bool    done = false, ready = false, victim = false;
  Waiting waiting    = Waiting::nothing;
  u32     wait_on    = 0;  // address of the barrier, or number of the meeting
  i64     wait_phase = 0;  // wanted phase, or group
  double  busy_from  = 0;  // of the current bar in the timeline
  Site    wait_site;

  // Meetings: of the warp, and of the cluster.
  u32         warp_mask      = 0;
  u64         warp_value     = 0;
  const char* warp_what      = nullptr;
  unsigned    meeting_result = 0;
  u64         clusters_met   = 0;      // meetings of the cluster it has arrived at
  bool        meets_cluster  = false;  // has arrived, and not waited yet
  SnapshotRef cluster_base;            // what it has released there
  u64         warp_values[32];

  // Stores, in groups by number from 1.
  std::vector<Group> groups{1};  // [0] is unused
  u32                committed = 0, read_upto = 0, write_upto = 0;
  u32                in_open_group = 0;
  Site               open_site;  // of its newest store
  u32                read_actor = 0, write_actor = 0;
  u32                cp_committed = 0, cp_actor = 0;

  std::unordered_map<const volatile void*, u64> found;          // by atomics, the last time
  u64                                           polled_at = 0;  // of Strategy::exhaustive: the block's step
};

struct Copy {
  // send: from shared memory into another block's; async_store: from registers.
  enum Type : u8 { load, store, cp_async, send, async_store };
  u32                number = 0;
  Type               type   = load;
  u32                issuer = 0;  // an actor
  Site               site;
  TensorBox          box;  // type and fill of a tensor copy
  bool               tensor = false;
  std::vector<Chunk> chunks;
  char*              base          = nullptr;  // global; of a send, nothing
  u32                source        = 0;        // shared, of a send
  u32                bytes         = 0;        // that the barrier will count
  u32                barrier       = 0;        // address
  u32                barrier_actor = 0;
  i64                phase         = -1;  // in which the last byte arrived
  u32                remaining     = 0;   // bytes not yet counted
  SnapshotRef        issued_after;        // what its issuer knew, and in which epoch it was, where that is of another block
  u32                issued_in                 = 0;
  bool               done                      = false;
  bool               reduces                   = false;             // combines with what is there
  Reduction          operation                 = Reduction::add;    // of the engine's own reductions
  ElementType        element                   = ElementType::u32;  // of such
  u32                byte_mask                 = 0xffff;            // of a store: which of every 16 bytes
  void (*combine)(void* to, const void* value) = nullptr;
  u32             next = 0, written = 0;  // chunks moved; of a store: read, and written
  std::vector<u8> staging;
  u32             group  = 0;
  u32             order  = 0;  // how the chunks are walked
  bool            victim = false;
  double          start = 0, finish = 0;
  u32             shared_first = 0;
};

struct PhaseWait {
  u32  thread;  // an actor
  u32  epoch;
  Site site;
};

struct Barrier {
  u32  address = 0, count = 0, pending = 0, actor = 0;
  bool live  = false;
  i64  phase = 0, transaction = 0;
  i64  armed = 0, landed = 0, issued = 0;  // bytes of this phase
  u32  warps       = 0;                    // those of its own block that have arrived in this phase
  u32  init_thread = 0, init_epoch = 0;    // an actor
  Site init_site;
  // What the arrivals of this phase release: to every wait; and those of other blocks, to waits at cluster scope.
  Accumulator            sum, wide;
  SnapshotRef            last[2], last_wide[2];  // of phase - 1 and phase - 2
  SnapshotRef            memo_from, memo_to;
  int                    memo_how  = 0;
  double                 completed = 0;
  std::vector<Thread*>   waiters;
  std::vector<Copy*>     in_flight;
  const Copy*            newest = nullptr;  // copy issued on it
  std::vector<PhaseWait> waits;             // for the phase before this one
};

struct Meeting {
  u32                  expected = 0, arrived = 0, sum = 0, all = 1;
  Accumulator          clock;
  std::vector<Thread*> waiting;
  double               time  = 0;
  u32                  warps = 0, before = 0;  // that have come; and that came to the meeting before this one
  SnapshotRef          over;                   // what those knew
};

struct Region {
  u32         first, bytes;
  std::string name;
  int         index = 0, of = 0;  // of a ring's barrier: the stage, and how many stages there are; else `of` is 0
};

class ReadyQueue {
public:
  bool        empty() const { return list_.empty(); }
  std::size_t size() const { return list_.size(); }
  void        push(Thread* t) { list_.push_back(t); }
  void        push_front(Thread* t) { list_.push_front(t); }
  Thread*     front() {
    Thread* t = list_.front();
    list_.pop_front();
    return t;
  }
  Thread* back() {
    Thread* t = list_.back();
    list_.pop_back();
    return t;
  }
  Thread* take(std::size_t i) {
    std::swap(list_[i], list_.front());
    return front();
  }
  Thread* operator[](std::size_t i) const { return list_[i]; }
  void    clear() { list_.clear(); }

private:
  std::deque<Thread*> list_;
};

// Another block's use of this one's memory: this block may not end before.
struct PeerUse {
  u32         epoch;
  Site        site;
  const char* verb;  // "writes", "arrives at"
  u32         address;
};

struct Block {
  Launch*                                        launch  = nullptr;
  Cluster*                                       cluster = nullptr;
  u32                                            number = 0, rank = 0;  // in the grid, in the cluster
  Index3                                         index{};
  u32                                            first = 0, size = 0, alive = 0;  // its threads, of the cluster's
  double                                         engine_free = 0;                 // when its copy engine has time again
  Meeting                                        meetings[16];
  u32                                            registers[32] = {};     // of a thread of each warp, where one has moved any
  bool                                           shares_its_sm = false;  // its kernel has fewer than a block alone has
  u32                                            spare         = 0;      // given back, for each lane of a warp
  std::vector<Thread*>                           takers;                 // that wait for some
  std::map<std::pair<u32, const void*>, PeerUse> used_by;                // actor and place in the program

  Thread* thread(u32 rank);
  bool    ended() const { return alive == 0; }
};

// What a block asked for as a tile that it shares with others, for one phase of its full barrier.
struct SharedTile {
  i64              phase  = -1;
  u32              ranks  = 0;  // of blocks that have asked for it
  u32              thread = 0;  // an actor: of the first
  Site             site;
  std::string      at;               // its coordinates, as text
  const char*      first = nullptr;  // where the tile begins in global memory, inside the tensor or not
  std::vector<i64> strides;
};

// A fence about tensor maps: what its thread knew there.
struct MapFence {
  u32         actor = 0, epoch = 0;
  SnapshotRef base;
  u64         sequence = 0;  // of the launch's edits
};

// Blocks that run side by side: all that one thread may know of another, and all that is chosen from, is within one cluster.
struct Cluster {
  Launch* launch = nullptr;
  u32     number = 0;  // of its first block, in the grid
  char*   window = nullptr;
  u64     mapped = 0;
  u64     span   = 0;  // of the windows
  // The objects of all its blocks have the same places.
  u32 used = first_address, dynamic_first = 0, dynamic_bytes = 0;
  // Thread-local storage of the OS thread, which holds the `__shared__` variables of one block at a time. The bytes in use
  // of the others lie in their windows meanwhile.
  const char *variables = nullptr, *variables_end = nullptr;
  u32         variables_low = ~0u, variables_high = 0, loaded = 0;

  std::vector<std::unique_ptr<Block>>                    blocks;
  std::vector<std::unique_ptr<Thread>>                   threads;
  u32                                                    alive = 0, actors = 0;
  ReadyQueue                                             ready;
  Thread*                                                running = nullptr;
  std::vector<Copy*>                                     in_flight;
  std::vector<std::unique_ptr<Copy>>                     copies;
  std::map<u32, Barrier>                                 barriers;
  Meeting                                                meeting;  // of all blocks
  u64                                                    meetings_over = 0;
  SnapshotRef                                            met;  // what the newest one has released
  SnapshotRef                                            memo_from, memo_to;
  std::unordered_map<const void*, u32>                   statics;
  std::vector<Region>                                    regions;
  Shadow                                                 shadow;
  Stacks                                                 stacks;
  std::unordered_map<const volatile void*, SnapshotRef>  atomics;
  std::unordered_map<const void*, std::vector<MapFence>> map_acquires;  // by the map's address
  std::vector<MapFence>                                  map_releases;
  std::map<std::pair<u32, u32>, SharedTile>              shared_tiles;  // by offset in the window and mask of the blocks

  u32 grids   = 0;  // the actor whose first epoch is the end of the grids before
  u64 idle    = 0;  // polls since anything changed
  u64 changes = 0;
  u64 step    = 1;  // of Strategy::exhaustive

  bool    is_one() const { return blocks.size() == 1; }
  Thread* thread(u32 actor) { return threads[actor].get(); }
  Block&  block_of(u32 address) { return *blocks[address >> rank_shift]; }
  char*   at(u32 address) {
    const u32 offset = address & offset_mask;
    return offset >= variables_address && address >> rank_shift == loaded
               ? const_cast<char*>(variables) + (offset - variables_address)
               : window + address;
  }
};

inline Thread* Block::thread(u32 rank) { return cluster->thread(first + rank); }

}  // namespace tma::machine::model
