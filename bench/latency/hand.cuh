// The instructions of a copy, in PTX written by hand.
#pragma once

#include "walk.cuh"

namespace latency::hand {

__device__ __forceinline__ bool elected() {
  unsigned one;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(one));
  return one != 0;
}

__device__ __forceinline__ void wait(unsigned barrier, unsigned parity) {
  unsigned done;
  do
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
  while (done == 0);
}

__device__ __forceinline__ void arm(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ unsigned address_of(const void* shared) { return unsigned(__cvta_generic_to_shared(shared)); }

__device__ __forceinline__ void init(unsigned barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void invalidate(unsigned barrier) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ __forceinline__ void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ __forceinline__ void load(unsigned to, const void* from, int bytes, unsigned barrier) {
  asm volatile("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from),
               "r"(bytes), "r"(barrier)
               : "memory");
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
