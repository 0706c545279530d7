// Faults of copies between the blocks of a cluster: multicast loads, sends, asynchronous stores.
#include "faults_cluster.hpp"

using namespace faults;
using tma::Order;
using tma::Scope;

namespace {

// --- loads into several blocks -------------------------------------------------------------------------------------

namespace leader_arms {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = cluster_ring<1>();
  if (threadIdx.x == 0) {
    if (!Faulty || ptx::cluster_rank() == 0) ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
    if (ptx::cluster_rank() == 0) LOAD_FOR(3, r.tile_at(0), from, 0, r.full_at(0));
  }
  AWAIT(r.full_at(0), 0)  // <leader_arms.wait>
  out[blockIdx.x * 64 + threadIdx.x] = r.tile[0][threadIdx.x];
  MEET_CLUSTER();
}
}  // namespace leader_arms

FAULT(leader_arms, "only the block that issues a multicast arms its barrier",
      .run = run<leader_arms::kernel<true>, leader_arms::kernel<false>, 64, 2, 2>, .kind = Kind::deadlock,
      .says  = {"of block 1 and 63 more waits for phase 0 of full[0] of block 1", "1 of 1 arrivals missing",
                "512 bytes more landed than were armed"},
      .lines = {"leader_arms.wait"})

namespace armed_a_half {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = cluster_ring<2>();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), Faulty ? tile_bytes : 2 * tile_bytes);
    LOAD_FOR(3, r.tile_at(int(ptx::cluster_rank())), from, 0, r.full_at(0));  // <armed_a_half.load>
  }
  AWAIT(r.full_at(0), 0)
  out[blockIdx.x * 64 + threadIdx.x] = r.tile[0][threadIdx.x];
  MEET_CLUSTER();
}
}  // namespace armed_a_half

FAULT(armed_a_half, "each block arms for what it loads itself, and not for what another brings",
      .run = run<armed_a_half::kernel<true>, armed_a_half::kernel<false>, 64, 2, 2>, .kind = Kind::bytes_short,
      .says = {"full[0] of block", "armed 512 bytes, copies issued 1024 bytes"}, .lines = {"armed_a_half.load"},
      .within = 100)

namespace wrong_mask {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = cluster_ring<1>();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
    if (ptx::cluster_rank() == 0) LOAD_FOR(Faulty ? 7 : 3, r.tile_at(0), from, 0, r.full_at(0));  // <wrong_mask.load>
  }
  AWAIT(r.full_at(0), 0)
  out[blockIdx.x * 64 + threadIdx.x] = r.tile[0][threadIdx.x];
  MEET_CLUSTER();
}
}  // namespace wrong_mask

FAULT(wrong_mask, "a multicast to a block that the cluster has not",
      .run = run<wrong_mask::kernel<true>, wrong_mask::kernel<false>, 64, 2, 2>, .kind = Kind::bad_address,
      .says = {"issues a load into the blocks 0x7 of its cluster, which has 0x3"}, .lines = {"wrong_mask.load"})

// The second tile comes when the own block has read the first, and the other one has it. That may still read.
namespace other_still_reads {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r   = cluster_ring<1>(2);
  int   sum = 0;
  for (int i = 0; i < 2; ++i) {
    if (threadIdx.x == 0) {
      if (i > 0 && ptx::cluster_rank() == 0) {
        AWAIT(r.empty_at(0), u32(i - 1))
        ptx::fence_proxy_async_shared();
      }
      ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
      if (ptx::cluster_rank() == 0) LOAD_FOR(3, r.tile_at(0), from, i * 4, r.full_at(0));  // <other_still_reads.load>
    }
    AWAIT(r.full_at(0), u32(i))
    const bool tells = threadIdx.x == 0, too_early = Faulty && ptx::cluster_rank() == 1;
    if (tells && too_early) ARRIVE_AT(r.empty_at(0), 0);
    sum += r.tile[0][63 - threadIdx.x];  // <other_still_reads.read>
    __syncthreads();
    if (tells && !too_early) ARRIVE_AT(r.empty_at(0), 0);
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
  MEET_CLUSTER();
}
}  // namespace other_still_reads

FAULT(other_still_reads, "a multicast overwrites what another block has not read yet",
      .run = run<other_still_reads::kernel<true>, other_still_reads::kernel<false>, 64, 2, 2>, .kind = Kind::early_reuse,
      .says  = {"the load of tile 0 of stage 0 of block 1 that thread 0 of block 0 issues", "of block 1",
                "may still be reading it"},
      .lines = {"other_still_reads.load", "other_still_reads.read"})

// As above, and the wait for the others is one of block scope.
namespace narrow_release {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r   = cluster_ring<1>(128);
  int   sum = 0;
  for (int i = 0; i < 2; ++i) {
    if (threadIdx.x == 0) {
      if (i > 0 && ptx::cluster_rank() == 0) {
        constexpr Scope scope = Faulty ? Scope::block : Scope::cluster;
        while (!ptx::mbarrier_try_wait<Order::ordered, scope>(r.empty_at(0), u32(i - 1))) {}
        ptx::fence_proxy_async_shared();
      }
      ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
      if (ptx::cluster_rank() == 0) LOAD_FOR(3, r.tile_at(0), from, i * 4, r.full_at(0));  // <narrow_release.load>
    }
    AWAIT(r.full_at(0), u32(i))
    sum += r.tile[0][63 - threadIdx.x];  // <narrow_release.read>
    ARRIVE_AT(r.empty_at(0), 0);
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
  MEET_CLUSTER();
}
}  // namespace narrow_release

FAULT(narrow_release, "a multicast after a wait at block scope for the readers of another block",
      .run = run<narrow_release::kernel<true>, narrow_release::kernel<false>, 64, 2, 2>, .kind = Kind::early_reuse,
      .says  = {"of block 1", "may still be reading it", "whose scope is the block and not the cluster"},
      .lines = {"narrow_release.load", "narrow_release.read"})

namespace never_waited {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = cluster_ring<1>();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
    if (ptx::cluster_rank() == 0) LOAD_FOR(3, r.tile_at(0), from, 0, r.full_at(0));  // <never_waited.load>
  }
  if (!Faulty || ptx::cluster_rank() == 0) {
    AWAIT(r.full_at(0), 0)
    out[blockIdx.x * 64 + threadIdx.x] = r.tile[0][threadIdx.x];
  }
  MEET_CLUSTER();
}
}  // namespace never_waited

FAULT(never_waited, "a block leaves, and has not waited for what another loads into it",
      .run = run<never_waited::kernel<true>, never_waited::kernel<false>, 64, 2, 2>, .kind = Kind::exit_with_load,
      .says  = {"block 1 ends with a load that thread 0 of block 0 issued", "completes on full[0] of block 1",
                "which no thread of it has waited for"},
      .lines = {"never_waited.load"})

// --- sends ---------------------------------------------------------------------------------------------------------

// Block 0 sends its tile 0 to tile 1 of block 1.
#define SEND(r, barrier) \
  ptx::bulk_send(ptx::map_shared((r).tile_at(1), 1), (r).tile_at(0), tile_bytes, ptx::map_shared(barrier, 1))

namespace unwaited_send {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r = cluster_ring<2>();
  fill(r.tile[0], 1);
  ptx::fence_proxy_async_shared();
  __syncthreads();
  if (threadIdx.x == 0 && ptx::cluster_rank() == 0) SEND(r, r.full_at(0));  // <unwaited_send.send>
  if (threadIdx.x == 0 && ptx::cluster_rank() == 1) ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
  if (ptx::cluster_rank() == 1) {
    if (!Faulty) AWAIT(r.full_at(0), 0)
    out[threadIdx.x] = r.tile[1][63 - threadIdx.x];  // <unwaited_send.read>
    if (Faulty) AWAIT(r.full_at(0), 0)
  }
  MEET_CLUSTER();
}
}  // namespace unwaited_send

FAULT(unwaited_send, "what another block sends is read, and not waited for",
      .run = run<unwaited_send::kernel<true>, unwaited_send::kernel<false>, 64, 2, 2>, .kind = Kind::unwaited_load,
      .says  = {"of block 1 reads tile 0 of stage 1", "the send that fills it", "completes on full[0] of block 1 phase 0"},
      .lines = {"unwaited_send.send", "unwaited_send.read"})

// The sender does not learn of it by itself that its tile is free again.
namespace source_reused {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r = cluster_ring<2>();
  fill(r.tile[0], 1);
  ptx::fence_proxy_async_shared();
  __syncthreads();
  if (ptx::cluster_rank() == 0) {
    if (threadIdx.x == 0) SEND(r, r.full_at(0));  // <source_reused.send>
    if (!Faulty) AWAIT(r.empty_at(0), 0)
    fill(r.tile[0], 2);
  } else {
    if (threadIdx.x == 0) ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
    AWAIT(r.full_at(0), 0)
    out[threadIdx.x] = r.tile[1][63 - threadIdx.x];
    if (threadIdx.x == 0) ARRIVE_AT(r.empty_at(0), 0);
  }
  MEET_CLUSTER();
}
}  // namespace source_reused

FAULT(source_reused, "a tile is written again while it is being sent",
      .run = run<source_reused::kernel<true>, source_reused::kernel<false>, 64, 2, 2>, .kind = Kind::overwritten_source,
      .says  = {"of block 0 writes tile 0 of stage 0 of block 0", "the send that reads it",
                "completes on full[0] of block 1"},
      .lines = {"source_reused.send"})

namespace send_unpublished {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r = cluster_ring<2>();
  fill(r.tile[0], 1);
  if (!Faulty) ptx::fence_proxy_async_shared();
  __syncthreads();
  if (threadIdx.x == 0 && ptx::cluster_rank() == 0) SEND(r, r.full_at(0));  // <send_unpublished.send>
  if (threadIdx.x == 0 && ptx::cluster_rank() == 1) ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
  if (ptx::cluster_rank() == 1) {
    AWAIT(r.full_at(0), 0)
    out[threadIdx.x] = r.tile[1][63 - threadIdx.x];
  }
  MEET_CLUSTER();
}
}  // namespace send_unpublished

FAULT(send_unpublished, "a tile is sent, and its writers have not fenced",
      .run = run<send_unpublished::kernel<true>, send_unpublished::kernel<false>, 64, 2, 2>, .kind = Kind::unfenced_store,
      .says  = {"the send of tile 0 of stage 0 of block 0", "did not fence before they met"},
      .lines = {"send_unpublished.send"})

namespace barrier_elsewhere {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r = cluster_ring<2>();
  fill(r.tile[0], 1);
  ptx::fence_proxy_async_shared();
  __syncthreads();
  if (threadIdx.x == 0) {
    const u32 arrived = ptx::map_shared(r.full_at(0), Faulty ? 0 : 1), to = ptx::map_shared(r.tile_at(1), 1);
    if (ptx::cluster_rank() == 0) ptx::bulk_send(to, r.tile_at(0), tile_bytes, arrived);  // <barrier_elsewhere.send>
    else ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
  }
  if (ptx::cluster_rank() == 1) {
    AWAIT(r.full_at(0), 0)
    out[threadIdx.x] = r.tile[1][63 - threadIdx.x];
  }
  MEET_CLUSTER();
}
}  // namespace barrier_elsewhere

FAULT(barrier_elsewhere, "a send completes on the sender's barrier",
      .run = run<barrier_elsewhere::kernel<true>, barrier_elsewhere::kernel<false>, 64, 2, 2>, .kind = Kind::undefined_copy,
      .says  = {"into tile 0 of stage 1 of block 1 that completes on full[0] of block 0"},
      .lines = {"barrier_elsewhere.send"})

namespace sender_leaves {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r = cluster_ring<2>();
  fill(r.tile[0], 1);
  ptx::fence_proxy_async_shared();
  __syncthreads();
  if (threadIdx.x == 0 && ptx::cluster_rank() == 0) SEND(r, r.full_at(0));  // <sender_leaves.send>
  if (threadIdx.x == 0 && ptx::cluster_rank() == 1) ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
  if (ptx::cluster_rank() == 1) {
    AWAIT(r.full_at(0), 0)
    out[threadIdx.x] = r.tile[1][63 - threadIdx.x];
  }
  if (!Faulty) MEET_CLUSTER();
}
}  // namespace sender_leaves

FAULT(sender_leaves, "a block leaves while its tile is being sent",
      .run = run<sender_leaves::kernel<true>, sender_leaves::kernel<false>, 64, 2, 2>, .kind = Kind::exit_with_store,
      .says = {"block 0 ends with a send that may still read tile 0 of stage 0 of block 0"}, .lines = {"sender_leaves.send"})

}  // namespace
