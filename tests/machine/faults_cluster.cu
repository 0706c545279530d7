// Faults between the blocks of a cluster: meetings, what orders whose memory, barriers of peers, and who may leave.
#include "faults_cluster.hpp"

using namespace faults;
using tma::Order;
using tma::Scope;

namespace {

// --- meetings ------------------------------------------------------------------------------------------------------

namespace leaves_early {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r = cluster_ring<1>();
  if (ptx::cluster_rank() == 1) at_peer(r.tile[0], 0)[int(threadIdx.x)] = 1;  // <leaves_early.write>
  if (!Faulty) MEET_CLUSTER();
  if (!Faulty && ptx::cluster_rank() == 0) out[threadIdx.x] = r.tile[0][int(threadIdx.x)];
}
}  // namespace leaves_early

FAULT(leaves_early, "a block leaves, and another writes into its memory",
      .run = run<leaves_early::kernel<true>, leaves_early::kernel<false>, 64, 2, 2>, .kind = Kind::peer_ended,
      .says  = {"thread 0 of block 1 writes tile 0 of stage 0 of block 0", "ended", "let the cluster meet at the end"},
      .lines = {"leaves_early.write"})

// The same where the other block happens to be there still.
namespace may_leave {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r = cluster_ring<1>();
  if (ptx::cluster_rank() == 0) at_peer(r.tile[0], 1)[int(threadIdx.x)] = 1;  // <may_leave.write>
  if (!Faulty) MEET_CLUSTER();
  if (!Faulty && ptx::cluster_rank() == 1) out[threadIdx.x] = r.tile[0][int(threadIdx.x)];
}
}  // namespace may_leave

FAULT(may_leave, "nothing keeps a block from leaving while another writes into its memory",
      .run = run<may_leave::kernel<true>, may_leave::kernel<false>, 64, 2, 2>, .kind = Kind::peer_ended,
      .says  = {"of block 0 writes tile 0 of stage 0", "of block 1", "nothing keeps block 1 from ending before"},
      .lines = {"may_leave.write"})

// An arrival that nobody waits for. A relaxed meeting is enough to stay for it.
namespace last_arrival {
template <bool Faulty> __global__ void kernel() {
  auto& r = cluster_ring<1>();
  if (threadIdx.x == 0) ARRIVE_AT(r.empty_at(0), 1 - ptx::cluster_rank());  // <last_arrival.arrive>
  if (Faulty) return;
  ptx::cluster_arrive<Order::relaxed>();
  ptx::cluster_wait();
}
}  // namespace last_arrival

FAULT(last_arrival, "the last arrival at another block's barrier, and nobody waits for it",
      .run = run<last_arrival::kernel<true>, last_arrival::kernel<false>, 64, 2, 2>, .kind = Kind::peer_ended,
      .says = {"arrives at empty[0] of block"}, .lines = {"last_arrival.arrive"})

namespace arrives_twice {
template <bool Faulty> __global__ void kernel() {
  ptx::cluster_arrive<Order::ordered>();
  if (Faulty) ptx::cluster_arrive<Order::ordered>();  // <arrives_twice.again>
  ptx::cluster_wait();
}
}  // namespace arrives_twice

FAULT(arrives_twice, "two arrivals for the cluster without a wait",
      .run = run<arrives_twice::kernel<true>, arrives_twice::kernel<false>, 64, 2, 2>, .kind = Kind::diverged,
      .says = {"arrives for its cluster twice, and has not waited between"}, .lines = {"arrives_twice.again"})

namespace waits_only {
template <bool Faulty> __global__ void kernel() {
  if (!Faulty || threadIdx.x < 32) ptx::cluster_arrive<Order::ordered>();
  ptx::cluster_wait();  // <waits_only.wait>
}
}  // namespace waits_only

FAULT(waits_only, "a wait for the cluster by who has not arrived",
      .run = run<waits_only::kernel<true>, waits_only::kernel<false>, 64, 2, 2>, .kind = Kind::diverged,
      .says = {"waits for its cluster, and has not arrived for it"}, .lines = {"waits_only.wait"})

namespace one_lane_meets {
template <bool Faulty> __global__ void kernel() {
  if (!Faulty || threadIdx.x % 32 == 0) ptx::cluster_arrive<Order::ordered>();  // <one_lane_meets.arrive>
  __syncwarp();
  ptx::cluster_wait();
}
}  // namespace one_lane_meets

FAULT(one_lane_meets, "one lane arrives for the cluster by the instruction of a whole warp",
      .run = run<one_lane_meets::kernel<true>, one_lane_meets::kernel<false>, 64, 2, 2>, .kind = Kind::diverged,
      .says = {"barrier.cluster.arrive", "in __syncwarp"}, .lines = {"one_lane_meets.arrive"})

namespace block_stays_away {
template <bool Faulty> __global__ void kernel() {
  auto& r = cluster_ring<1>();
  if (!Faulty || ptx::cluster_rank() == 0) MEET_CLUSTER();  // <block_stays_away.meet>
  if (threadIdx.x == 0 && ptx::cluster_rank() == 0) ARRIVE_AT(r.empty_at(0), 1);
  if (ptx::cluster_rank() == 1) AWAIT(r.empty_at(0), 0)  // <block_stays_away.wait>
}
}  // namespace block_stays_away

FAULT(block_stays_away, "a block does not come to the cluster's meeting",
      .run = run<block_stays_away::kernel<true>, block_stays_away::kernel<false>, 64, 2, 2>, .kind = Kind::deadlock,
      .says  = {"the cluster of block 0 cannot go on", "of block 0 and 63 more waits for its cluster",
                "64 of 128 threads are there", "of block 1 and 63 more waits for phase 0 of empty[0] of block 1"},
      .lines = {"block_stays_away.meet", "block_stays_away.wait"})

// --- what orders memory between blocks -----------------------------------------------------------------------------

namespace never_meet {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r                                                       = cluster_ring<1>();
  at_peer(r.tile[0], 1 - ptx::cluster_rank())[int(threadIdx.x)] = int(threadIdx.x);  // <never_meet.write>
  if (Faulty) __syncthreads();
  else MEET_CLUSTER();
  out[blockIdx.x * 64 + threadIdx.x] = r.tile[0][63 - int(threadIdx.x)];  // <never_meet.read>
  MEET_CLUSTER();
}
}  // namespace never_meet

FAULT(never_meet, "only the block meets before what another block has written is read",
      .run = run<never_meet::kernel<true>, never_meet::kernel<false>, 64, 2, 2>, .kind = Kind::data_race,
      .says = {"tile 0 of stage 0", "of block 1", "of block 0"}, .lines = {"never_meet.write"}, .within = 2)

namespace relaxed_meeting {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r                                                       = cluster_ring<1>();
  at_peer(r.tile[0], 1 - ptx::cluster_rank())[int(threadIdx.x)] = int(threadIdx.x);  // <relaxed_meeting.write>
  ptx::cluster_arrive<Faulty ? Order::relaxed : Order::ordered>();
  ptx::cluster_wait();
  out[blockIdx.x * 64 + threadIdx.x] = r.tile[0][63 - int(threadIdx.x)];  // <relaxed_meeting.read>
  MEET_CLUSTER();
}
}  // namespace relaxed_meeting

FAULT(relaxed_meeting, "the cluster meets, and the arrival is relaxed",
      .run = run<relaxed_meeting::kernel<true>, relaxed_meeting::kernel<false>, 64, 2, 2>, .kind = Kind::data_race,
      .says  = {"reads tile 0 of stage 0", "writes the same bytes", "in a way that orders no memory: a relaxed operation"},
      .lines = {"relaxed_meeting.write", "relaxed_meeting.read"})

// The other block is not of the scope.
namespace block_scope_wait {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r = cluster_ring<1>(64);
  if (ptx::cluster_rank() == 1) {
    at_peer(r.tile[0], 0)[int(threadIdx.x)] = int(threadIdx.x);  // <block_scope_wait.write>
    ARRIVE_AT(r.empty_at(0), 0);
  } else {
    constexpr Scope scope = Faulty ? Scope::block : Scope::cluster;
    while (!ptx::mbarrier_try_wait<Order::ordered, scope>(r.empty_at(0), 0)) {}
    out[threadIdx.x] = r.tile[0][63 - int(threadIdx.x)];  // <block_scope_wait.read>
  }
}
}  // namespace block_scope_wait

FAULT(block_scope_wait, "a wait acquires at block scope what another block has released",
      .run = run<block_scope_wait::kernel<true>, block_scope_wait::kernel<false>, 64, 2, 2>, .kind = Kind::data_race,
      .says  = {"reads tile 0 of stage 0", "of block 1 writes the same bytes",
                "whose scope is the block and not the cluster"},
      .lines = {"block_scope_wait.write", "block_scope_wait.read"})

namespace relaxed_arrival {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r = cluster_ring<1>(64);
  if (ptx::cluster_rank() == 1) {
    at_peer(r.tile[0], 0)[int(threadIdx.x)] = int(threadIdx.x);  // <relaxed_arrival.write>
    ptx::mbarrier_arrive_peer<Faulty ? Order::relaxed : Order::ordered>(ptx::map_shared(r.empty_at(0), 0));
  } else {
    AWAIT(r.empty_at(0), 0)
    out[threadIdx.x] = r.tile[0][63 - int(threadIdx.x)];  // <relaxed_arrival.read>
  }
}
}  // namespace relaxed_arrival

FAULT(relaxed_arrival, "a relaxed arrival after a write into another block",
      .run = run<relaxed_arrival::kernel<true>, relaxed_arrival::kernel<false>, 64, 2, 2>, .kind = Kind::data_race,
      .says = {"reads tile 0 of stage 0", "a relaxed operation"}, .lines = {"relaxed_arrival.write", "relaxed_arrival.read"})

// A relaxed arrival after a fence: of the scope in which the other block is not.
namespace narrow_fence {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r = cluster_ring<1>(64);
  if (ptx::cluster_rank() == 1) {
    at_peer(r.tile[0], 0)[int(threadIdx.x)] = int(threadIdx.x);  // <narrow_fence.write>
    if (Faulty) __threadfence_block();
    else __threadfence();
    ptx::mbarrier_arrive_peer<Order::relaxed>(ptx::map_shared(r.empty_at(0), 0));
  } else {
    while (!ptx::mbarrier_try_wait<Order::relaxed, Scope::cluster>(r.empty_at(0), 0)) {}
    __threadfence();
    out[threadIdx.x] = r.tile[0][63 - int(threadIdx.x)];  // <narrow_fence.read>
  }
}
}  // namespace narrow_fence

FAULT(narrow_fence, "a fence of block scope, for another block",
      .run = run<narrow_fence::kernel<true>, narrow_fence::kernel<false>, 64, 2, 2>, .kind = Kind::data_race,
      .says  = {"reads tile 0 of stage 0", "in a way that orders no memory"},
      .lines = {"narrow_fence.write", "narrow_fence.read"})

// --- barriers of peers ---------------------------------------------------------------------------------------------

namespace peer_not_ready {
template <bool Faulty> __global__ void kernel() {
  auto& r = ring<1>();
  if (!Faulty) MEET_CLUSTER();
  if (threadIdx.x == 0) ARRIVE_AT(r.empty_at(0), 1 - ptx::cluster_rank());  // <peer_not_ready.arrive>
  if (!Faulty) MEET_CLUSTER();
}
}  // namespace peer_not_ready

FAULT(peer_not_ready, "an arrival at another block's barrier before the cluster has met",
      .run = run<peer_not_ready::kernel<true>, peer_not_ready::kernel<false>, 64, 2, 2>, .kind = Kind::barrier_uninitialised,
      .says = {"thread 0 of block 0 arrives at", "of block 1", "initialised"}, .lines = {"peer_not_ready.arrive"})

namespace inits_unfenced {
template <bool Faulty> __global__ void kernel() {
  auto& r = tma::shared<Ring<1>>();
  r.describe();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(r.empty_at(0), 1);  // <inits_unfenced.init>
    if (!Faulty) ptx::fence_mbarrier_init();
  }
  ptx::cluster_arrive<Order::relaxed>();
  ptx::cluster_wait();
  if (threadIdx.x == 0) ARRIVE_AT(r.empty_at(0), 1 - ptx::cluster_rank());  // <inits_unfenced.arrive>
  MEET_CLUSTER();
}
}  // namespace inits_unfenced

FAULT(inits_unfenced, "barriers are initialised for the cluster, which meets relaxed, without the fence for that",
      .run = run<inits_unfenced::kernel<true>, inits_unfenced::kernel<false>, 64, 2, 2>, .kind = Kind::barrier_uninitialised,
      .says  = {"arrives at empty[0] of block 1, and does not know that it is initialised", "fence_mbarrier_init"},
      .lines = {"inits_unfenced.init", "inits_unfenced.arrive"})

namespace peer_arrives_twice {
template <bool Faulty> __global__ void kernel() {
  auto& r = cluster_ring<1>(2);
  if (threadIdx.x < (Faulty ? 2 : 1)) ARRIVE_AT(r.empty_at(0), 0);  // <peer_arrives_twice.arrive>
  if (ptx::cluster_rank() == 0) AWAIT(r.empty_at(0), 0)
  MEET_CLUSTER();
}
}  // namespace peer_arrives_twice

FAULT(peer_arrives_twice, "two threads of each block arrive where one of each is counted",
      .run  = run<peer_arrives_twice::kernel<true>, peer_arrives_twice::kernel<false>, 64, 2, 2>,
      .kind = Kind::phase_unordered, .says = {"empty[0] of block 0"}, .within = 100)

// Released to the own block's barrier only: the other one waits for it.
namespace own_release {
template <bool Faulty> __global__ void kernel() {
  auto& r = cluster_ring<1>(2);
  if (threadIdx.x == 0) ARRIVE_AT(r.empty_at(0), Faulty ? ptx::cluster_rank() : 0);
  if (ptx::cluster_rank() == 0) AWAIT(r.empty_at(0), 0)  // <own_release.wait>
  MEET_CLUSTER();
}
}  // namespace own_release

FAULT(own_release, "a block arrives at its own barrier, and not at the one that waits for both",
      .run = run<own_release::kernel<true>, own_release::kernel<false>, 64, 2, 2>, .kind = Kind::deadlock,
      .says  = {"waits for phase 0 of empty[0] of block 0", "1 of 2 arrivals missing",
                "of block 1 and 63 more waits for its cluster"},
      .lines = {"own_release.wait"})

namespace waits_at_peer {
template <bool Faulty> __global__ void kernel() {
  auto& r = cluster_ring<1>();
  if (threadIdx.x == 0 && ptx::cluster_rank() == 0) ARRIVE_AT(r.empty_at(0), Faulty ? 0 : 1);
  if (ptx::cluster_rank() == 1) AWAIT(ptx::map_shared(r.empty_at(0), Faulty ? 0 : 1), 0)  // <waits_at_peer.wait>
  MEET_CLUSTER();
}
}  // namespace waits_at_peer

FAULT(waits_at_peer, "a wait for another block's barrier",
      .run = run<waits_at_peer::kernel<true>, waits_at_peer::kernel<false>, 64, 2, 2>, .kind = Kind::bad_address,
      .says = {"shared memory of block 0 of its cluster, where only its own can be"}, .lines = {"waits_at_peer.wait"})

// A stage is freed for another block's copies by a restricted fence and a relaxed arrival. What the other lanes have read is
// ordered where the fence stands behind the meeting of the warp: a release pattern orders what comes before its fence.
namespace fence_before_meeting {
template <bool Faulty, bool Warps> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = cluster_ring<1>();
  if (ptx::cluster_rank() == 0) {
    for (u32 phase = 0; phase < 2; ++phase) {
      if (threadIdx.x == 0) ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
      while (!ptx::mbarrier_try_wait_shared(r.full_at(0), phase)) {}
      ptx::fence_acquire_shared();
      out[threadIdx.x] = r.tile[0][int(threadIdx.x)];  // <fence_before_meeting.read>
      if (Faulty) ptx::fence_release_shared();
      if (Warps) ptx::sync_threads(1, 64);
      else ptx::sync_warp();
      if (!Faulty) ptx::fence_release_shared();
      if (threadIdx.x == 0) ptx::mbarrier_arrive_peer_shared(ptx::map_shared(r.empty_at(0), 1));
    }
  } else if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      while (!ptx::mbarrier_try_wait_shared(r.empty_at(0), u32(i + 1) & 1)) {}
      ptx::fence_acquire_shared_for_copies();
      LOAD_FOR(1, r.tile_at(0), from, i * 4, r.full_at(0));  // <fence_before_meeting.load>
    }
    while (!ptx::mbarrier_try_wait_shared(r.empty_at(0), 1)) {}
  }
  MEET_CLUSTER();
}
}  // namespace fence_before_meeting

FAULT(fence_before_meeting, "the fence of a relaxed arrival stands before the warp meets",
      .run   = run<fence_before_meeting::kernel<true, false>, fence_before_meeting::kernel<false, false>, 32, 2, 2>,
      .kind  = Kind::early_reuse,
      .says  = {"the load of tile 0 of stage 0 of block 0", "may still be reading it", "in a way that orders no memory"},
      .lines = {"fence_before_meeting.read", "fence_before_meeting.load"})

FAULT(fence_before_group_meeting, "the fence of a relaxed arrival stands before a group of warps meets",
      .run  = run<fence_before_meeting::kernel<true, true>, fence_before_meeting::kernel<false, true>, 64, 2, 2>,
      .kind = Kind::early_reuse, .says = {"the load of tile 0 of stage 0 of block 0", "in a way that orders no memory"})

namespace no_such_block {
template <bool Faulty> __global__ void kernel() {
  auto& r = cluster_ring<1>();
  if (threadIdx.x == 0 && ptx::cluster_rank() == 0) ARRIVE_AT(r.empty_at(0), Faulty ? 2 : 1);  // <no_such_block.arrive>
  MEET_CLUSTER();
}
}  // namespace no_such_block

FAULT(no_such_block, "a rank that the cluster has not",
      .run = run<no_such_block::kernel<true>, no_such_block::kernel<false>, 64, 2, 2>, .kind = Kind::bad_address,
      .says = {"which is shared memory of block 2 of its cluster; that has 2"}, .lines = {"no_such_block.arrive"})

}  // namespace
