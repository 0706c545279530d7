// The instructions: the only room with inline assembly, and the only one that reads thread indices or addresses.
//
// Each function is one instruction. It takes shared memory as 32-bit shared-window addresses (`shared_address`) and
// global memory and tensor maps as generic pointers. Whatever orders memory for the caller has the "memory" clobber,
// so that the compiler moves no access across it. Destinations are `.shared::cta`: no cluster is meant here.
#pragma once

#include "../core/config.hpp"
#include "../core/meta.hpp"

#if defined(TMA_CHECKED) && TMA_HAS_HOST
#  include <cstdio>
#endif

namespace tma::ptx {

using detail::i64;
using detail::u32;
using detail::u64;

// --- who and where -------------------------------------------------------------------------------------------------

/// This thread's rank in its block, counted as the hardware forms warps: x fastest. With a fixed block shape
/// (`__block_size__((256, 1, 1))`) the assembler folds the unused terms.
TMA_DEVICE u32 thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

TMA_DEVICE u32 block_threads() { return blockDim.x * blockDim.y * blockDim.z; }

/// True where `pointer` points into the thread's own local memory.
TMA_DEVICE bool is_local(const void* pointer) { return __isLocal(pointer) != 0; }

TMA_DEVICE u32 shared_address(const void* pointer) { return static_cast<u32>(__cvta_generic_to_shared(pointer)); }

/// The block's one object of type T in static shared memory.
template <class T> TMA_DEVICE T& static_shared() {
  __shared__ T object;
  return object;
}

/// The start of dynamic shared memory.
TMA_DEVICE unsigned char* dynamic_shared() {
  extern __shared__ unsigned char tma_dynamic_shared[];
  return tma_dynamic_shared;
}

/// What a place in shared memory is called, and which role a thread has: for the CPU machine's reports.
TMA_DEVICE void describe(const void*, u32, const char*, int = 0, int = 0) {}
TMA_DEVICE void enter_role(const char*) {}

/// True in exactly one of the warp's running threads, the same one at every call. All of them must call it together.
TMA_DEVICE bool elect_sync() {
  u32 elected;
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               "elect.sync _|p, 0xffffffff;\n\t"
               "selp.u32 %0, 1, 0, p;\n\t"
               "}"
               : "=r"(elected));
  return elected != 0;
}

TMA_DEVICE void sync_block() { __syncthreads(); }
TMA_DEVICE void sync_warp() { __syncwarp(); }

/// Named barrier `id` (1 to 15) among `threads` threads, a multiple of 32.
TMA_DEVICE void sync_threads(int id, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

[[noreturn]] TMA_DEVICE void trap() {
  asm volatile("trap;");
  __builtin_unreachable();
}

#if defined(TMA_CHECKED)
/// A broken rule prints itself and stops the kernel.
[[noreturn]] TMA_DEVICE void fail(const char* rule, i64 value) {
  printf("tma: block (%u, %u, %u) thread %u: %s (found %lld)\n", blockIdx.x, blockIdx.y, blockIdx.z, thread_rank(), rule,
         value);
  trap();
}
#endif

// --- mbarrier ------------------------------------------------------------------------------------------------------

TMA_DEVICE void mbarrier_init(u32 barrier, u32 arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

TMA_DEVICE void mbarrier_inval(u32 barrier) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

TMA_DEVICE void mbarrier_arrive(u32 barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

TMA_DEVICE void mbarrier_arrive_expect_tx(u32 barrier, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

/// True once the phase with this parity has completed. May suspend the thread for a while before it says no.
TMA_DEVICE bool mbarrier_try_wait(u32 barrier, u32 parity) {
  u32 done;
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
               "selp.u32 %0, 1, 0, p;\n\t"
               "}"
               : "=r"(done)
               : "r"(barrier), "r"(parity)
               : "memory");
  return done != 0;
}

/// As `mbarrier_try_wait`, without suspending.
TMA_DEVICE bool mbarrier_test_wait(u32 barrier, u32 parity) {
  u32 done;
  asm volatile("{\n\t"
               ".reg .pred p;\n\t"
               "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
               "selp.u32 %0, 1, 0, p;\n\t"
               "}"
               : "=r"(done)
               : "r"(barrier), "r"(parity)
               : "memory");
  return done != 0;
}

// --- fences --------------------------------------------------------------------------------------------------------

/// Makes this thread's `mbarrier_init`s visible to the engine and to other blocks of the cluster.
TMA_DEVICE void fence_mbarrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

/// Orders this thread's accesses to shared memory before later ones of the copy engine.
TMA_DEVICE void fence_proxy_async_shared() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// --- one-dimensional copies ----------------------------------------------------------------------------------------

TMA_DEVICE void bulk_load(u32 destination, const void* source, u32 bytes, u32 barrier) {
  asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(destination),
               "l"(__cvta_generic_to_global(source)), "r"(bytes), "r"(barrier)
               : "memory");
}

TMA_DEVICE void bulk_store(void* destination, u32 source, u32 bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(destination)),
               "r"(source), "r"(bytes)
               : "memory");
}

// --- tensor copies: coordinates as the instruction wants them, fastest first ---------------------------------------

template <int Rank> struct Coordinates {
  int at[Rank];
};

template <int Rank> TMA_DEVICE void tensor_load(u32 destination, const void* map, const Coordinates<Rank>& c, u32 barrier) {
#define TMA_DETAIL_LOAD(form, list, ...)                                                                              \
  asm volatile("cp.async.bulk.tensor." form ".shared::cta.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" list \
               "}], [%2];" ::"r"(destination),                                                                        \
               "l"(map), "r"(barrier), __VA_ARGS__                                                                    \
               : "memory")
  if constexpr (Rank == 1) TMA_DETAIL_LOAD("1d", "%3", "r"(c.at[0]));
  else if constexpr (Rank == 2) TMA_DETAIL_LOAD("2d", "%3, %4", "r"(c.at[0]), "r"(c.at[1]));
  else if constexpr (Rank == 3) TMA_DETAIL_LOAD("3d", "%3, %4, %5", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]));
  else if constexpr (Rank == 4)
    TMA_DETAIL_LOAD("4d", "%3, %4, %5, %6", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]));
  else TMA_DETAIL_LOAD("5d", "%3, %4, %5, %6, %7", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), "r"(c.at[4]));
#undef TMA_DETAIL_LOAD
}

template <int Rank> TMA_DEVICE void tensor_store(const void* map, const Coordinates<Rank>& c, u32 source) {
#define TMA_DETAIL_STORE(form, list, ...)                                                                             \
  asm volatile("cp.async.bulk.tensor." form ".global.shared::cta.tile.bulk_group [%0, {" list "}], [%1];" ::"l"(map), \
               "r"(source), __VA_ARGS__                                                                               \
               : "memory")
  if constexpr (Rank == 1) TMA_DETAIL_STORE("1d", "%2", "r"(c.at[0]));
  else if constexpr (Rank == 2) TMA_DETAIL_STORE("2d", "%2, %3", "r"(c.at[0]), "r"(c.at[1]));
  else if constexpr (Rank == 3) TMA_DETAIL_STORE("3d", "%2, %3, %4", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]));
  else if constexpr (Rank == 4)
    TMA_DETAIL_STORE("4d", "%2, %3, %4, %5", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]));
  else TMA_DETAIL_STORE("5d", "%2, %3, %4, %5, %6", "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), "r"(c.at[4]));
#undef TMA_DETAIL_STORE
}

// --- bulk groups: what completes stores, per thread ----------------------------------------------------------------

TMA_DEVICE void bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

/// Until at most `Pending` of this thread's newest groups still read their source.
template <int Pending> TMA_DEVICE void bulk_wait_group_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

/// Until at most `Pending` of this thread's newest groups are not yet written and visible to this thread.
template <int Pending> TMA_DEVICE void bulk_wait_group() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}

}  // namespace tma::ptx
