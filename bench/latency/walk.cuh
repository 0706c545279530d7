// The walk that all hops are timed by, and the hops of threads: loads, and cp.async.
#pragma once

#include <tma/tma.hpp>

#include "chain.hpp"

namespace latency {

__device__ __forceinline__ unsigned clock_now() {
  unsigned t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}
__device__ __forceinline__ unsigned long long ns_now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
  return t;
}

// The warp goes on when `value` is there: it is stored, where nobody reads it.
template <class T> __device__ __forceinline__ void consume(T value) {
  __shared__ T sink;
  *reinterpret_cast<volatile T*>(&sink) = value;
}

__device__ __forceinline__ int index_of(const Walk& w, const Node* at) {
  return int((reinterpret_cast<const char*>(at) - reinterpret_cast<const char*>(w.base)) / node_bytes);
}

// By all threads of the block. `hop(at, slot)` goes to the next node; `between` frees the slots.
template <class At, class Hop, class Between, class Index>
__device__ __forceinline__ void walk(const Walk& w, Trace* out, At at, Hop hop, Between between, Index index) {
  for (int p = int(threadIdx.x); p < w.pages; p += int(blockDim.x))
    consume(
        *reinterpret_cast<const volatile int*>(reinterpret_cast<const char*>(w.base) + (size_t(p) << 21) + node_bytes - 64));
  __syncthreads();
  for (int i = 0; i < w.warm; ++i) {
    at = hop(at, 0);
    between();
  }
  const auto      ns    = ns_now();
  const long long start = clock64();
  for (int g = 0; g < w.groups; ++g) {
    const unsigned from = clock_now();
    for (int k = 0; k < w.group; ++k) at = hop(at, k);
    consume(at);
    const unsigned to = clock_now();
    if (threadIdx.x == 0) out->cycles[g] = to - from;
    between();
  }
  if (threadIdx.x == 0) {
    out->all_cycles = static_cast<unsigned long long>(clock64() - start);
    out->all_ns     = ns_now() - ns;
    out->last       = index(at);
  }
}

// Where the address of what lies in shared memory is. The compiler makes it again from the block's number in its cluster
// wherever it is used, which takes some fifty cycles; an opaque value it keeps.
enum class Address { made_again, kept };

template <Address A> __device__ __forceinline__ unsigned keep(unsigned shared) {
  if constexpr (A == Address::kept) asm volatile("" : "+r"(shared));
  return shared;
}
template <Address A, class T> __device__ __forceinline__ T& keep(T& object) {
  if constexpr (A == Address::made_again) return object;
  else return *static_cast<T*>(__cvta_shared_to_generic(keep<A>(unsigned(__cvta_generic_to_shared(&object)))));
}

// --- by threads -----------------------------------------------------------------------------------------------------

enum class Cache { l1, l2 };

template <Cache Where> __global__ void load_words(Walk w, Trace* out) {
  const auto hop = [](const Node* at, int) {
    const Node* next;
    if constexpr (Where == Cache::l1) asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(at));
    else asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(at));
    return next;
  };
  walk(w, out, w.base, hop, [] {}, [&](const Node* at) { return index_of(w, at); });
}

__device__ __forceinline__ uint4 load_l2(const uint4* from) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));
  return v;
}

// The first `bytes` of a node into shared memory by the block's threads, `Each` vectors a thread at most: through
// registers, or by cp.async.
template <bool Async, int Each> __global__ void load_tile(Walk w, Trace* out, int bytes) {
  uint4* const room = reinterpret_cast<uint4*>(tma::ptx::dynamic_shared());
  const int    rank = int(threadIdx.x), threads = int(blockDim.x), vectors = bytes / 16;
  const auto   hop = [&](const Node* at, int slot) {
    const uint4* const from = reinterpret_cast<const uint4*>(at);
    uint4* const       to   = room + slot * vectors;
    if constexpr (Async) {
#pragma unroll
      for (int k = 0; k < Each; ++k)
        if (const int v = rank + k * threads; v < vectors)
          asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(tma::ptx::shared_address(to + v)), "l"(from + v)
                       : "memory");
      asm volatile("cp.async.wait_all;" ::: "memory");
    } else {
      uint4 loaded[Each];
#pragma unroll
      for (int k = 0; k < Each; ++k)
        if (const int v = rank + k * threads; v < vectors) loaded[k] = load_l2(from + v);
#pragma unroll
      for (int k = 0; k < Each; ++k)
        if (const int v = rank + k * threads; v < vectors) to[v] = loaded[k];
    }
    __syncthreads();
    return *reinterpret_cast<const Node* volatile*>(to);
  };
  walk(w, out, w.base, hop, [] { __syncthreads(); }, [&](const Node* at) { return index_of(w, at); });
}

}  // namespace latency
