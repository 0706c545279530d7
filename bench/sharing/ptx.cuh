// The instructions of the forms by hand.
#pragma once

#include <cuda.h>

namespace sharing {

__device__ __forceinline__ unsigned address(const void* shared) { return unsigned(__cvta_generic_to_shared(shared)); }

__device__ __forceinline__ bool elect() {
  unsigned elected;
  asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, 0xffffffff;\n\tselp.u32 %0, 1, 0, p;\n\t}" : "=r"(elected));
  return elected != 0;
}

__device__ __forceinline__ unsigned rank_in_cluster() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ __forceinline__ unsigned cluster_blocks() {
  unsigned n;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
  return n;
}

__device__ __forceinline__ void init(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

// Waits that order shared memory alone, as the library's do in a cluster.
template <bool InCluster> __device__ __forceinline__ void wait(unsigned barrier, unsigned parity) {
  unsigned done;
  do {
    if constexpr (!InCluster)
      asm volatile(
          "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\tselp.u32 %0, 1, 0, p;\n\t}"
          : "=r"(done)
          : "r"(barrier), "r"(parity)
          : "memory");
    else
      asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [%1], %2;\n\tselp.u32 "
                   "%0, 1, 0, "
                   "p;\n\t}"
                   : "=r"(done)
                   : "r"(barrier), "r"(parity)
                   : "memory");
  } while (!done);
  if constexpr (InCluster) asm volatile("fence.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
}

template <bool InCluster> __device__ __forceinline__ void fence_refill() {
  if constexpr (!InCluster) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  else asm volatile("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
}

__device__ __forceinline__ void arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
// The same place in another block.
__device__ __forceinline__ unsigned peer(unsigned place, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(place), "r"(rank));
  return there;
}
__device__ __forceinline__ void arrive_at(unsigned barrier, unsigned rank) {
  asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(peer(barrier, rank)) : "memory");
}
__device__ __forceinline__ void arm(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ __forceinline__ void load(unsigned tile, const CUtensorMap* map, int row, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(tile),
      "l"(map), "r"(barrier), "r"(0), "r"(row)
      : "memory");
}
__device__ __forceinline__ void load_for_all(unsigned tile, const CUtensorMap* map, int row, unsigned barrier,
                                             unsigned short mask) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, "
      "%4}], [%2], %5;" ::"r"(tile),
      "l"(map), "r"(barrier), "r"(0), "r"(row), "h"(mask)
      : "memory");
}

}  // namespace sharing
