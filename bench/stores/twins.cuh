// The same by PTX written by hand, and by threads without the engine.
#pragma once

#include <cuda_bf16.h>

#include "../harness/ptx.cuh"
#include "work.hpp"

namespace stores {

namespace hand {

using namespace by_hand;

struct alignas(64) Map {
  unsigned long long bits[16];
};

template <class T> __device__ __forceinline__ void add(T* to, unsigned from, int bytes) {
  if constexpr (sizeof(T) == 4)
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(to), "r"(from),
                 "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%0], [%1], %2;" ::"l"(to), "r"(from),
                 "r"(bytes)
                 : "memory");
}

// Fills the two sources, and lets the engine see them: the address of the first.
template <class T> __device__ __forceinline__ unsigned prepare(const T* pattern, int count) {
  extern __shared__ unsigned char hand_room[];
  const unsigned                  first   = (address(hand_room) + 127) / 128 * 128;
  uint4* const                    plus    = reinterpret_cast<uint4*>(hand_room + (first - address(hand_room)));
  const int                       vectors = count * int(sizeof(T)) / 16;
#pragma unroll 4
  for (int i = int(threadIdx.x); i < vectors; i += engine_threads) {
    const uint4 v     = reinterpret_cast<const uint4*>(pattern)[i];
    plus[i]           = v;
    plus[vectors + i] = opposite<T>(v);
  }
  fence_proxy();
  __syncthreads();
  return first;
}

__device__ __forceinline__ void commit_and_wait() {
  commit();
  wait_read<depth - 1>();
}

template <Action A, class T>
__global__ void __launch_bounds__(engine_threads) bulk(T* out, const T* pattern, Walk w, int count) {
  const unsigned plus = prepare(pattern, count), bytes = unsigned(count) * sizeof(T);
  if (threadIdx.x != 0) return;
  for (int g = int(blockIdx.x); g < w.total; g += int(gridDim.x)) {
    T* const       to   = out + size_t(w.tile(g)) * count;
    const unsigned from = w.opposite(g) ? plus + bytes : plus;
    if constexpr (A == Action::store) store(to, from, bytes);
    else add(to, from, int(bytes));
    commit_and_wait();
  }
  wait_read<0>();
}

template <Action A, class T>
__global__ void __launch_bounds__(engine_threads)
    tensor(const __grid_constant__ Map map, const T* pattern, Walk w, Layout l) {
  const int      count = l.elements(), across = l.across();
  const unsigned plus = prepare(pattern, count), bytes = unsigned(count) * sizeof(T);
  if (threadIdx.x != 0) return;
  for (int g = int(blockIdx.x); g < w.total; g += int(gridDim.x)) {
    const int      tile = w.tile(g), row = tile / across * l.rows, column = tile % across * l.columns;
    const unsigned from = w.opposite(g) ? plus + bytes : plus;
    if constexpr (A == Action::store) store_box(&map, row, column, from);
    else
      asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
                   "r"(column), "r"(row), "r"(from)
                   : "memory");
    commit_and_wait();
  }
  wait_read<0>();
}

}  // namespace hand

// --- by threads: a block of 256 writes a tile of 4 KiB, 16 bytes a thread ------------------------------------------------

inline constexpr int plain_threads = 256, plain_bytes = 16 * plain_threads;

template <Action A, class T> __device__ __forceinline__ void put(T* to, const uint4& v) {
  if constexpr (A == Action::store) *reinterpret_cast<uint4*>(to) = v;
  else if constexpr (A == Action::add && sizeof(T) == 4)
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(__uint_as_float(v.x)),
                 "f"(__uint_as_float(v.y)), "f"(__uint_as_float(v.z)), "f"(__uint_as_float(v.w))
                 : "memory");
  else if constexpr (A == Action::add)
    asm volatile("red.global.add.noftz.v4.bf16x2 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
  else {
    const unsigned words[] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if constexpr (sizeof(T) == 4) atomicAdd(to + i, __uint_as_float(words[i]));
      else atomicAdd(reinterpret_cast<__nv_bfloat162*>(to) + i, reinterpret_cast<const __nv_bfloat162&>(words[i]));
  }
}

template <Action A, class T> __global__ void __launch_bounds__(plain_threads) plain(T* out, const T* pattern, Walk w) {
  constexpr int each  = 16 / int(sizeof(T));
  const int     mine  = int(threadIdx.x) * each;
  const uint4   plus  = *reinterpret_cast<const uint4*>(pattern + mine);
  const uint4   minus = opposite<T>(plus);
  for (int g = int(blockIdx.x); g < w.total; g += int(gridDim.x))
    put<A>(out + size_t(w.tile(g)) * (plain_bytes / sizeof(T)) + mine, w.opposite(g) ? minus : plus);
}

// How many elements are not the pattern's.
template <class T>
__global__ void compare(const T* data, unsigned long long count, const T* pattern, Layout l, unsigned long long* wrong) {
  unsigned long long mine = 0;
  for (auto i = blockIdx.x * static_cast<unsigned long long>(blockDim.x) + threadIdx.x; i < count;
       i += static_cast<unsigned long long>(gridDim.x) * blockDim.x)
    mine += data[i] != pattern[l.in_tile(i)];
  if (mine) atomicAdd(wrong, mine);
}

}  // namespace stores
