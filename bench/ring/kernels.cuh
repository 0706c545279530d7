// What the kernels of all implementations have in common: everything that is not the ring.
#pragma once

#include "../harness/require.hpp"
#include "ring.hpp"

namespace ring {

// What a consumer has read, in order: a tile that is missing, wrong or early gives another value.
struct Fold {
  unsigned value = 0;

  __device__ void take(float4 x) {
    value = value * 5 + (__float_as_uint(x.x) ^ __float_as_uint(x.y) ^ __float_as_uint(x.z) ^ __float_as_uint(x.w));
  }

  // A vector by each consumer, as far as there are, or the whole tile: into registers, so that the stage is released before
  // anything is computed. Known when compiling but for which of the two, so that rings are compared and not what a compiler
  // makes of a loop.
  template <class Shape> static constexpr int   vectors = Shape::tile_bytes / 16;
  template <class Shape> static constexpr int   rounds  = (vectors<Shape> + Shape::consumers - 1) / Shape::consumers;
  template <class Shape> static __device__ bool has(int k, int rank) {
    return (k + 1) * Shape::consumers <= vectors<Shape> || k * Shape::consumers + rank < vectors<Shape>;
  }
  template <class Shape> struct Values {
    float4 v[rounds<Shape>];
  };
  template <class Shape> static __device__ Values<Shape> read(const float* tile, int rank, bool whole) {
    Values<Shape> values;
    const float4* from = reinterpret_cast<const float4*>(tile);
    if (has<Shape>(0, rank)) values.v[0] = from[rank];
    if (rounds<Shape> > 1 && whole) {
#pragma unroll
      for (int k = 1; k < rounds<Shape>; ++k)
        if (has<Shape>(k, rank)) values.v[k] = from[k * Shape::consumers + rank];
    }
    return values;
  }
  template <class Shape> __device__ void add(const Values<Shape>& values, int rank, bool whole) {
    if (has<Shape>(0, rank)) take(values.v[0]);
    if (rounds<Shape> > 1 && whole) {
#pragma unroll
      for (int k = 1; k < rounds<Shape>; ++k)
        if (has<Shape>(k, rank)) take(values.v[k]);
    }
  }
  template <class Shape> __device__ void take(const float* tile, int rank, bool whole) {
    add<Shape>(read<Shape>(tile, rank, whole), rank, whole);
  }
};

__device__ inline void wait_cycles(long long from, int cycles) {
  while (clock64() - from < cycles) {}
}

inline constexpr int idle_cycles = 1500;  // longer than a load takes, so that the other side stands waiting

// The block's index, by all threads at the kernel's begin. Through a shuffle: what comes from a special register itself
// ptxas reads again in some loops, 50 cycles a step, and keeps in others. Rings are compared, and not that.
__device__ inline int block_index() { return int(__shfl_sync(0xffffffffu, blockIdx.x, 0)); }

__device__ __forceinline__ unsigned address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ __forceinline__ void fence_proxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Counts arrivals by asking the barriers, at a kernel's end: what lies behind the tiles of a ring are two for each stage, and
// a barrier whose phases have all completed has all arrivals of one phase pending. Ordinary loads see its word once it is
// no barrier any more.
template <class S, class T> __device__ void count_arrivals(T& shared, unsigned* sum) {
  constexpr int tiles = S::stages * S::tile_bytes, barriers = 2 * S::stages;
  static_assert(sizeof(T) == (tiles + barriers * 8 + alignof(T) - 1) / alignof(T) * alignof(T));
  if (!sum) return;
  fence_proxy();
  __syncthreads();
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  fence_proxy();
  unsigned all = 0;
  for (int k = 0; k < barriers; ++k) {
    const unsigned     barrier = address(&shared) + tiles + k * 8;
    unsigned long long word;
    unsigned           pending;
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
    asm volatile("ld.volatile.shared.u64 %0, [%1];" : "=l"(word) : "r"(barrier) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(word));
    all += pending;
  }
  *sum = all;
}

// A ring in dynamic shared memory, for the implementations that do not ask the library for it. Rounded by nobody, as kernels
// by hand have it: what the declaration asks for is there on today's devices, and promised nowhere.
template <class T> __device__ T& dynamic_ring() {
  extern __shared__ __align__(128) unsigned char dynamic_ring_memory[];
  return *reinterpret_cast<T*>(dynamic_ring_memory);
}

// A launch of a kernel over a map.
template <class Shape>
Variant variant(const char* name, Measure measure, Reads reads, int arrivals, const Source& source,
                void (*kernel)(CUtensorMap, Work, Results), int shared) {
  harness::require(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared), name);
  const CUtensorMap map = source.map(Shape::tile_bytes);
  return {name, measure, reads, Shape::config(), arrivals, [=](const Job& job) {
            kernel<<<unsigned(job.blocks), Shape::threads, std::size_t(shared)>>>(map, job.work, job.results);
            harness::require(cudaGetLastError(), name);
          }};
}

}  // namespace ring
