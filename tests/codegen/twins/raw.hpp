// What a kernel author writes by hand to use the copy engine: one function an instruction, and what every kernel begins
// with; CUDA C++ and inline PTX only. The twins named raw_... are built on this and on nothing of the library.
//
// A twin does what its kernel on the library does, step by step, the best way its author knows. Where C++ leaves a choice
// that means nothing to the hardware but something to the compiler, both make the same one: shared memory in one struct,
// signed element numbers and loop counters, the block's size asked for once, an address as one sum, `parity` before `stage`.
#pragma once

#include <cuda.h>

namespace raw {

using u32 = unsigned int;
using u64 = unsigned long long;

__device__ __forceinline__ u32 thread_rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

// The warp of a thread, in a form that the compiler knows to be the same for the whole warp.
__device__ __forceinline__ u32 warp_of(u32 rank) { return __shfl_sync(0xffffffffu, rank / 32, 0); }

__device__ __forceinline__ u32 block_threads() { return blockDim.x * blockDim.y * blockDim.z; }

__device__ __forceinline__ u32 smem(const void* p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }

__device__ __forceinline__ bool elect_sync() {
  u32 p;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(p));
  return p != 0;
}

// --- barriers ---

__device__ __forceinline__ void mbar_init(u64* bar, u32 count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" : : "r"(smem(bar)), "r"(count) : "memory");
}

__device__ __forceinline__ void fence_mbar_init() { asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory"); }

__device__ __forceinline__ void arrive(u64* bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(smem(bar)) : "memory");
}

__device__ __forceinline__ void arrive_expect_tx(u64* bar, u32 bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" : : "r"(smem(bar)), "r"(bytes) : "memory");
}

__device__ __forceinline__ bool test_wait(u64* bar, u32 parity) {
  u32 done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(smem(bar)), "r"(parity)
               : "memory");
  return done != 0;
}

__device__ __forceinline__ bool try_wait(u64* bar, u32 parity) {
  u32 done;
  asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
               : "=r"(done)
               : "r"(smem(bar)), "r"(parity)
               : "memory");
  return done != 0;
}

__device__ __forceinline__ void wait(u64* bar, u32 parity) {
  while (!try_wait(bar, parity)) {}
}

// What a kernel with barriers begins with: one thread makes them, by `init`, and lets the engine see that; the block meets.
template <class Init> __device__ __forceinline__ void start(u32 rank, Init init) {
  if (rank == 0) {
    init();
    fence_mbar_init();
  }
  __syncthreads();
}

// The same with the one barrier that loads complete on. Returns the thread's rank.
__device__ __forceinline__ u32 start(u64* bar) {
  const u32 rank = thread_rank();
  start(rank, [&] { mbar_init(bar, 1); });
  return rank;
}

// --- fences ---

__device__ __forceinline__ void fence_async_shared() { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }

// --- copies: coordinates fastest first, as the instruction has them ---

__device__ __forceinline__ void load(void* dst, const CUtensorMap& map, u64* bar, int x) {
  asm volatile("cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3}], [%2];"
               :
               : "r"(smem(dst)), "l"(&map), "r"(smem(bar)), "r"(x)
               : "memory");
}

__device__ __forceinline__ void load(void* dst, const CUtensorMap& map, u64* bar, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
               :
               : "r"(smem(dst)), "l"(&map), "r"(smem(bar)), "r"(x), "r"(y)
               : "memory");
}

__device__ __forceinline__ void load(void* dst, const CUtensorMap& map, u64* bar, int x, int y, int z) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4, %5}], [%2];"
               :
               : "r"(smem(dst)), "l"(&map), "r"(smem(bar)), "r"(x), "r"(y), "r"(z)
               : "memory");
}

__device__ __forceinline__ void load(void* dst, const CUtensorMap& map, u64* bar, int x, int y, int z, int w) {
  asm volatile("cp.async.bulk.tensor.4d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4, %5, %6}], [%2];"
               :
               : "r"(smem(dst)), "l"(&map), "r"(smem(bar)), "r"(x), "r"(y), "r"(z), "r"(w)
               : "memory");
}

__device__ __forceinline__ void load(void* dst, const CUtensorMap& map, u64* bar, int x, int y, int z, int w, int v) {
  asm volatile("cp.async.bulk.tensor.5d.shared::cta.global.tile.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4, %5, %6, %7}], [%2];"
               :
               : "r"(smem(dst)), "l"(&map), "r"(smem(bar)), "r"(x), "r"(y), "r"(z), "r"(w), "r"(v)
               : "memory");
}

__device__ __forceinline__ void store(const CUtensorMap& map, const void* src, int x) {
  asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%2}], [%1];"
               :
               : "l"(&map), "r"(smem(src)), "r"(x)
               : "memory");
}

__device__ __forceinline__ void store(const CUtensorMap& map, const void* src, int x, int y) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%2, %3}], [%1];"
               :
               : "l"(&map), "r"(smem(src)), "r"(x), "r"(y)
               : "memory");
}

__device__ __forceinline__ void store(const CUtensorMap& map, const void* src, int x, int y, int z) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4}], [%1];"
               :
               : "l"(&map), "r"(smem(src)), "r"(x), "r"(y), "r"(z)
               : "memory");
}

__device__ __forceinline__ void store(const CUtensorMap& map, const void* src, int x, int y, int z, int w) {
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5}], [%1];"
               :
               : "l"(&map), "r"(smem(src)), "r"(x), "r"(y), "r"(z), "r"(w)
               : "memory");
}

__device__ __forceinline__ void store(const CUtensorMap& map, const void* src, int x, int y, int z, int w, int v) {
  asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%2, %3, %4, %5, %6}], [%1];"
               :
               : "l"(&map), "r"(smem(src)), "r"(x), "r"(y), "r"(z), "r"(w), "r"(v)
               : "memory");
}

__device__ __forceinline__ void bulk_load(void* dst, const void* src, u32 bytes, u64* bar) {
  asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               :
               : "r"(smem(dst)), "l"(__cvta_generic_to_global(src)), "r"(bytes), "r"(smem(bar))
               : "memory");
}

__device__ __forceinline__ void bulk_store(void* dst, const void* src, u32 bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
               :
               : "l"(__cvta_generic_to_global(dst)), "r"(smem(src)), "r"(bytes)
               : "memory");
}

__device__ __forceinline__ void commit_group() { asm volatile("cp.async.bulk.commit_group;" : : : "memory"); }

template <int N> __device__ __forceinline__ void wait_group_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(N) : "memory");
}

template <int N> __device__ __forceinline__ void wait_group() {
  asm volatile("cp.async.bulk.wait_group %0;" : : "n"(N) : "memory");
}

// `x`, of which the compiler knows nothing.
__device__ __forceinline__ u32 opaque(u32 x) {
  asm("" : "+r"(x));
  return x;
}

}  // namespace raw
