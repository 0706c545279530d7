// The instructions of a copy, in PTX written by hand.
#pragma once

#include "../harness/ptx.cuh"
#include "walk.cuh"

namespace latency::hand {

using by_hand::arm, by_hand::fence_init, by_hand::load, by_hand::wait;

__device__ __forceinline__ bool     elected() { return by_hand::elect(); }
__device__ __forceinline__ unsigned address_of(const void* shared) { return by_hand::address(shared); }
__device__ __forceinline__ void     init(unsigned barrier) { by_hand::init(barrier, 1); }
__device__ __forceinline__ void     fence_async() { by_hand::fence_proxy(); }
__device__ __forceinline__ void     invalidate(unsigned barrier) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

struct alignas(64) Map {
  unsigned long long bits[16];
};

template <int Rank> __device__ __forceinline__ void load(unsigned to, const Map& map, int at, unsigned barrier) {
#define LATENCY_LOAD(rank, place)                                                                                     \
  asm volatile("cp.async.bulk.tensor." rank ".shared::cta.global.tile.mbarrier::complete_tx::bytes [%0], [%1, " place \
               "], [%4];" ::"r"(to),                                                                                  \
               "l"(&map), "r"(at), "r"(0), "r"(barrier)                                                               \
               : "memory")
  if constexpr (Rank == 1) LATENCY_LOAD("1d", "{%2}");
  else if constexpr (Rank == 2) LATENCY_LOAD("2d", "{%3, %2}");
  else if constexpr (Rank == 3) LATENCY_LOAD("3d", "{%3, %3, %2}");
  else if constexpr (Rank == 4) LATENCY_LOAD("4d", "{%3, %3, %3, %2}");
  else LATENCY_LOAD("5d", "{%3, %3, %3, %3, %2}");
#undef LATENCY_LOAD
}

}  // namespace latency::hand
