// What a kernel that runs on the machine asks of it. Declarations only: the machine itself is compiled once
// (machine.cpp), without the instrumentation that the kernel's file is compiled with.
//
// All of it is called by the threads of a running kernel, except where it says "host".
#pragma once

#include "../core/prologue.hpp"

#include <cstddef>
#include <cstdint>

#if defined(TMA_MACHINE)
// What the core's containers ask of every index.
#  define TMA_DETAIL_INDEX(index, size) ::tma::machine::rt::look_at_index(index, size)
#  define TMA_DETAIL_IN_KERNEL          ::tma::machine::rt::in_kernel()
#endif

namespace tma::machine {

/// As CUDA's uint3: fields x, y, z.
struct Index3 {
  unsigned x, y, z;
};

namespace rt {

// The indices of the thread that runs; the scheduler sets them at every switch.
extern Index3 thread_index, block_index, block_size, grid_size;

// --- who and where ---
unsigned thread_rank();
bool     in_kernel();                          // false in host code
bool     is_local(const void* pointer);        // on this thread's stack, and no parameter of the kernel
unsigned shared_address(const void* pointer);  // address in the shared window: what cvta.to.shared gives
void*    shared_pointer(unsigned address);     // and back
bool     is_shared(const void* pointer);
bool     is_global(const void* pointer);

// A type, for reports, and what zeroes the padding of an object of it (or null).
struct ObjectType {
  std::size_t bytes, alignment;
  const char* name;
  void (*clear_padding)(void* object);
};
// The block's one object for `key` in static shared memory, the same for every thread.
void* static_shared(const void* key, const ObjectType& type);
// What a kernel takes dynamic shared memory for.
void dynamic_object(const void* key, const void* place, const ObjectType& type);
// The first byte of dynamic shared memory.
void* dynamic_shared();

// Names for reports: `format` is printf's, for the two numbers, and outlives the launch: "tile %d of stage %d". `owner` is
// whose it is, or null.
void describe(const void* place, std::size_t bytes, const char* format, int a, int b, const char* owner);
void enter_role(const char* role);
void leave_ring(const void* first_barrier);  // this thread does nothing more with the ring

// --- threads of a warp or block meet ---
bool elect_sync();
void sync_block();
// As sync_block; then every thread gets how many had a non-zero `value`, and whether all had: count | all << 16.
unsigned sync_block_count(int value);
void     sync_warp(unsigned mask);
void     sync_threads(int id, int threads);    // bar.sync
void     arrive_threads(int id, int threads);  // bar.arrive
unsigned active_mask();                        // of this warp: lanes that have not returned

// All lanes of `mask` meet; lane i of `values` is then what lane i brought. Lanes outside the mask read as 0. Returns a
// pointer that is valid until this thread's next call of the machine. `what` names the operation: lanes that meet in
// different ones are a report.
const std::uint64_t* exchange(unsigned mask, std::uint64_t value, const char* what);

[[noreturn]] void fail(const char* rule, long long value);  // a broken rule of the library's own device-side checks
[[noreturn]] void trap(const char* what);                   // __trap, assert

// An index into a tile: a report where it is outside.
void                                       index_in(long long index, long long size);
inline __attribute__((always_inline)) void look_at_index(long long index, long long size) {
  if (index < 0 || index >= size) index_in(index, size);
}

// --- memory order and atomics ---
void thread_fence(int scope);  // 0 block, 1 device, 2 system
// Before an atomic operation on `place`: a point where others may run, and where fences before and after it order
// memory. The operation itself follows at once, undisturbed.
void         atomic(const volatile void* place, std::size_t bytes);
void         nanosleep(unsigned ns);
std::int64_t clock();                                                     // simulated cycles of this thread
void         annotate(const void* place, std::size_t bytes, bool write);  // an access that the compiler does not show

// --- cp.async (not the copy engine): per thread groups ---
void cp_async(void* shared, const void* global, std::size_t bytes, std::size_t zero_fill);
// The instruction: a shared address, of `bytes` the first `source_bytes` and then zeros. Misaligned places are refused.
void cp_async_at(unsigned shared, const void* global, unsigned bytes, unsigned source_bytes);
void cp_async_commit();
void cp_async_wait(int newer);  // until at most `newer` of this thread's groups are pending

// --- mbarrier ---
void mbarrier_init(unsigned barrier, unsigned arrivals);
void mbarrier_inval(unsigned barrier);
// How: numbers, which are passed in registers, where the compiler shows no access.
namespace how {
inline constexpr unsigned relaxed = 1, wide = 2;  // else ordered, at block scope
inline constexpr unsigned peer    = 4;            // the address may be of another block of the cluster
inline constexpr unsigned expects = 8, drops = 16, completes_nothing = 32;  // of arrivals
inline constexpr unsigned by_state = 64, at_once = 128, limited = 256;      // of waits; else by parity, suspended
}  // namespace how
// Returns the state before: phase << 20 | arrivals missing.
std::uint64_t mbarrier_arrive(unsigned barrier, unsigned count, unsigned bytes, unsigned how);
void          mbarrier_expect_tx(unsigned barrier, unsigned bytes, bool peer);
void          mbarrier_complete_tx(unsigned barrier, unsigned bytes, bool peer);
// try_wait, test_wait. `which`: a parity, or the state that an arrival returned.
bool mbarrier_wait(unsigned barrier, std::uint64_t which, unsigned how);
// Arrives when the thread's copies by cp.async are done; `counted`: it is one of the barrier's arrivals.
void cp_async_arrive(unsigned barrier, bool counted);

// --- clusters. Addresses of a cluster hold the rank of their block ---
Index3   cluster_shape();
unsigned cluster_rank();
unsigned map_shared(unsigned address, unsigned rank);
void*    map_generic(const void* shared, unsigned rank);
void     cluster_arrive(bool relaxed, bool together);  // together: the whole warp at once
void     cluster_wait(bool together);
// `combine` writes a reduction of what is there and the value, of 16 bytes of a send; null: the value replaces it.
void bulk_send(unsigned destination, unsigned source, unsigned bytes, unsigned barrier,
               void (*combine)(void* place, const void* value) = nullptr);
void store_async(unsigned destination, const void* value, unsigned bytes, unsigned barrier,
                 void (*combine)(void* place, const void* value));

// --- fences between proxies ---
void fence_mbarrier_init();
void fence_proxy_async(bool shared_only);

// --- the copy engine. Coordinates fastest first, as the instruction takes them ---
// Into the block itself; at an address of the cluster; or into all blocks of the mask, at the same place in each.
struct LoadTarget {
  bool     cluster = false, multicast = false;
  unsigned mask = 0;
};
void bulk_load(unsigned destination, const void* source, unsigned bytes, unsigned barrier, LoadTarget to);
// Bit i of `bytes_of_16`: byte i of every 16 is written.
void bulk_store(void* destination, unsigned source, unsigned bytes, unsigned bytes_of_16 = 0xffff);
void bulk_commit_group();
void bulk_wait_group(int newer, bool read_only);

// --- the grids before this one in its stream ---
void grid_dependency_wait();
void grid_dependency_launch();

// --- launch (host) ---
struct LaunchShape {
  Index3      grid, block, cluster;
  std::size_t dynamic_shared;
  const void* stream       = nullptr;
  bool        programmatic = false;  // begins before the grids ahead of it in its stream have ended
};
// Runs `call(context)` by every thread of the grid, under the current settings. 0, or a cudaError_t.
int launch(const LaunchShape& shape, const char* kernel, void (*call)(void*), void* context);
// The host, or something else in the stream, has waited for its grids; or for all there are.
void grids_ended(const void* stream);
void all_grids_ended();

// --- device memory (host): memory.hpp has the implementation ---
void* allocate(std::size_t bytes);  // 256-byte aligned, guard zones on both sides, filled with 0xcd; null where none is left
bool  release(void* pointer);       // false: no such allocation
struct Allocation {
  char*       data;
  std::size_t bytes;
};
bool is_device_memory(const void* pointer);                // inside the arena, allocated or not
bool find_allocation(const void* pointer, Allocation& a);  // the live allocation that holds `pointer`

}  // namespace rt
}  // namespace tma::machine

#include "../core/epilogue.hpp"
