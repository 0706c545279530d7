// What only checked builds ask of the device: the time, who is where, and the place for reports.
#pragma once

#include "../core/prologue.hpp"

#include "../core/kernel_page.hpp"
#include "ptx_where.hpp"

#if defined(TMA_DETAIL_WATCHED)

#  if TMA_HAS_HOST
#    include <cstdio>
#  endif

// A checked build calls what it notes and reports: inlined, it would be most of a kernel.
#  define TMA_DETAIL_OUTLINED inline __device__ __noinline__

namespace tma::inline TMA_ABI::ptx {

TMA_DEVICE detail::KernelChannel& kernel_channel() { return TMA_DETAIL_KERNEL_CHANNEL; }

/// Nanoseconds, the same clock for the whole device. It may stand still for a microsecond, on some devices for a thousand.
TMA_DEVICE u64 nanoseconds() {
  u64 time = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
}

/// A number that one launch has and the next has not.
TMA_DEVICE u64 grid_id() {
  u64 id = 0;
  asm volatile("mov.u64 %0, %%gridid;" : "=l"(id));
  return id;
}

TMA_DEVICE u32 block_index(int axis) { return axis == 0 ? blockIdx.x : axis == 1 ? blockIdx.y : blockIdx.z; }
TMA_DEVICE u64 block_rank() { return (u64(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }

/// Blocks in this one's cluster.
TMA_DEVICE u32 blocks_in_cluster() {
  u32 blocks = 1;
#  if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
#  endif
  return blocks;
}

/// Whether a cluster's address is one of this block's.
TMA_DEVICE bool is_in_this_block(u32 cluster_address) {
  u32 rank = 0, own = 0;
#  if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(cluster_address));
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(own));
#  endif
  return rank == own;
}

/// What the launch gives: bytes behind `dynamic_shared`.
TMA_DEVICE u32 dynamic_shared_bytes() {
  u32 bytes = 0;
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  return bytes;
}

[[noreturn]] TMA_DEVICE void exit() {
  asm volatile("exit;");
  __builtin_unreachable();
}

TMA_DEVICE void pause(u32 ns) {
#  if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  __nanosleep(ns);
#  endif
}

/// The threads of the warp that have come here together call `one`, one after the other: in it a thread may wait for what
/// another warp does, which a warp must not do for one of its own.
template <class One> TMA_DEVICE void one_by_one(One one) {
  const u32 together = __activemask(), lane = thread_rank() % 32;
  for (u32 left = together; left != 0; left &= left - 1) {
    if ((left & (0u - left)) == 1u << lane) one();
    __syncwarp(together);
  }
}

/// As `mbarrier_test_wait`, of a barrier that the caller only looks at.
TMA_DEVICE bool is_phase_over(u32 barrier, u32 parity) {
  u32 over = 0;
  TMA_DETAIL_ASM_80("{\n\t"
                    ".reg .pred p;\n\t"
                    "mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                    "selp.u32 %0, 1, 0, p;\n\t"
                    "}" : "=r"(over) : "r"(barrier),
                    "r"(parity) : "memory");
  return over != 0;
}

/// Ends a barrier, and returns its eight bytes, whose layout nobody promises: before its end a load does not find them.
TMA_DEVICE u64 last_barrier_word(u32 barrier) {
  u64 word = 0;
  TMA_DETAIL_ASM_80("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
  pause(500);
  asm volatile("ld.volatile.shared.u64 %0, [%1];" : "=l"(word) : "r"(barrier) : "memory");
  return word;
}

/// The finished text of a report, for those who see what the program prints.
TMA_DEVICE void print_report() { printf("%s", kernel_channel().text); }

}  // namespace tma::inline TMA_ABI::ptx

#endif  // TMA_DETAIL_WATCHED

#include "../core/epilogue.hpp"
