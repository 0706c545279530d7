// The instructions of the forms by hand.
#pragma once

#include <cuda.h>

#include "../harness/ptx.cuh"

namespace sharing {

using by_hand::address, by_hand::arm, by_hand::arrive, by_hand::elect, by_hand::init;

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

// Waits that order shared memory alone, as the library's do in a cluster.
template <bool InCluster> __device__ __forceinline__ void wait(unsigned barrier, unsigned parity) {
  if constexpr (!InCluster) by_hand::wait(barrier, parity);
  else {
    unsigned done;
    do {
      asm volatile("{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [%1], %2;\n\tselp.u32 "
                   "%0, 1, 0, p;\n\t}"
                   : "=r"(done)
                   : "r"(barrier), "r"(parity)
                   : "memory");
    } while (!done);
    asm volatile("fence.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
  }
}

template <bool InCluster> __device__ __forceinline__ void fence_refill() {
  if constexpr (!InCluster) by_hand::fence_proxy();
  else asm volatile("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;" ::: "memory");
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
__device__ __forceinline__ void load(unsigned tile, const CUtensorMap* map, int row, unsigned barrier) {
  by_hand::load_box(tile, map, row, 0, barrier);
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
