// Faults of meeting: warps and blocks that meet wrongly or never, threads that poll; and results that depend on the order.
#include "faults.hpp"

using namespace faults;

namespace {

namespace half_a_warp {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  int value = in[threadIdx.x];
  if (Faulty) {
    if (threadIdx.x % 32 < 16) value += __shfl_down_sync(~0u, value, 16);  // <half_a_warp.down>
    else value += __shfl_xor_sync(~0u, value, 16);                         // <half_a_warp.xor>
  } else {
    value += __shfl_xor_sync(~0u, value, 16);
  }
  out[threadIdx.x] = value;
}
}  // namespace half_a_warp

FAULT(half_a_warp, "the halves of a warp meet in different shuffles",
      .run = run<half_a_warp::kernel<true>, half_a_warp::kernel<false>>, .kind = Kind::diverged,
      .says = {"__shfl_down_sync", "__shfl_xor_sync", "0xffffffff"}, .lines = {"half_a_warp.down", "half_a_warp.xor"})

namespace not_in_the_mask {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  int value = in[threadIdx.x];
  for (int step = 8; step > 0; step /= 2)
    value += __shfl_xor_sync(Faulty ? 0xffffu : ~0u, value, step);  // <not_in_the_mask.xor>
  out[threadIdx.x] = value;
}
}  // namespace not_in_the_mask

FAULT(not_in_the_mask, "a whole warp shuffles with the mask of half of it",
      .run = run<not_in_the_mask::kernel<true>, not_in_the_mask::kernel<false>>, .kind = Kind::diverged,
      .says = {"thread 16 calls __shfl_xor_sync with lanes 0x0000ffff", "not one of them"}, .lines = {"not_in_the_mask.xor"})

namespace lanes_missing {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  int value = in[threadIdx.x];
  if (!Faulty || value % 2 == 0) value = __reduce_add_sync(~0u, value);  // <lanes_missing.reduce>
  __syncthreads();                                                       // <lanes_missing.meet>
  out[threadIdx.x] = value;
}

void launch(bool faulty) {
  std::vector<int> numbered(64);
  for (int i = 0; i < 64; ++i) numbered[i] = i;
  gpu::Array<int> in(numbered), out(64);
  tma::launch(faulty ? kernel<true> : kernel<false>, {.grid = 1, .block = 64}, static_cast<const int*>(in.get()), out.get());
}
}  // namespace lanes_missing

FAULT(lanes_missing, "some lanes reduce, the others have gone on to the block's barrier", .run = lanes_missing::launch,
      .kind  = Kind::deadlock,
      .says  = {"waits for lanes 0xffffffff of its warp in __reduce_add_sync", "0x55555555 are there", "waits for its block",
                "32 of 64 threads are there"},
      .lines = {"lanes_missing.reduce", "lanes_missing.meet"})

namespace elects_in_a_branch {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  ptx::describe(&s.barrier, sizeof s.barrier, "barrier");
  if (!Faulty || block.rank() == 0)
    if (auto issuer = block.elect()) issuer.load(from, {0, 0}, s.tile, arrived);  // <elects_in_a_branch.elect>
  arrived.wait();                                                                 // <elects_in_a_branch.wait>
  out[block.rank()] = s.tile[block.rank()];
}
}  // namespace elects_in_a_branch

FAULT(elects_in_a_branch, "an election that one thread takes part in",
      .run = run<elects_in_a_branch::kernel<true>, elects_in_a_branch::kernel<false>>, .kind = Kind::deadlock,
      .says  = {"thread 0 waits for lanes 0xffffffff of its warp in elect.sync", "0x00000001 are there",
                "waits for phase 0 of barrier"},
      .lines = {"elects_in_a_branch.elect", "elects_in_a_branch.wait"})

enum class Named { right, too_many, disagree };

template <Named How> __global__ void named_barrier(const int* in, int* out) {
  __shared__ int line[64];
  if (threadIdx.x < 64) {
    line[threadIdx.x] = in[threadIdx.x];
    const bool more   = How == Named::too_many || (How == Named::disagree && threadIdx.x >= 32);
    ptx::sync_threads(1, more ? 96 : 64);  // <named_barrier.meet>
    out[threadIdx.x] = line[63 - threadIdx.x];
  }
}

FAULT(named_too_many, "a named barrier for one warp more than comes",
      .run = run<named_barrier<Named::too_many>, named_barrier<Named::right>, 96>, .kind = Kind::deadlock,
      .says = {"thread 0 and 63 more", "named barrier 1", "64 of 96 threads are there"}, .lines = {"named_barrier.meet"})

FAULT(named_disagree, "two warps meet at one named barrier with different counts",
      .run = run<named_barrier<Named::disagree>, named_barrier<Named::right>, 96>, .kind = Kind::diverged,
      .says  = {"thread 32 meets at named barrier 1 with 96 threads", "others wait there for 64"},
      .lines = {"named_barrier.meet"})

namespace left_early {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  __shared__ int line[64];
  if (threadIdx.x >= 60 && Faulty) {
    while (atomicAdd(out + 100, 0) != 7) __nanosleep(100);  // <left_early.spin>
  }
  line[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = line[63 - threadIdx.x];
}
}  // namespace left_early

FAULT(spins_while_others_meet, "four threads wait for a flag that nobody sets, the others for them",
      .run = run<left_early::kernel<true>, left_early::kernel<false>>, .kind = Kind::livelock,
      .says = {"block 0 only polls, and nothing changes", "waits for its block", "60 of 64 threads are there"})

enum class Flags { right, atomic, plain };

template <Flags How> __global__ void spin(int* out) {
  struct Shared {
    int flag;
  };
  auto& s = tma::shared<Shared>();
  if (threadIdx.x == 0) s.flag = How == Flags::right ? 1 : 0;
  __syncthreads();
  if (How == Flags::plain)
    while (*const_cast<volatile int*>(&s.flag) == 0) {}
  else
    while (atomicAdd(&s.flag, 0) == 0) {}
  out[threadIdx.x] = 1;
}

FAULT(flag_never_set, "a flag that nobody sets", .run = run<spin<Flags::atomic>, spin<Flags::right>, 32>,
      .kind = Kind::livelock, .says = {"block 0 only polls, and nothing changes", "thread 0 and 31 more"})

FAULT(plain_flag_never_set, "a flag that nobody sets, looked at without atomics",
      .run = run<spin<Flags::plain>, spin<Flags::right>, 32>, .kind = Kind::livelock,
      .says = {"block 0 only polls, and nothing changes", "thread 0 and 31 more"})

// A lock, and a path that does not give it back.
namespace lock {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  struct Shared {
    int lock, sum;
  };
  auto& s = tma::shared<Shared>();
  if (threadIdx.x == 0) s.lock = s.sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&s.lock, 0, 1) != 0) {}  // <lock.take>
    __threadfence_block();
    s.sum += in[threadIdx.x];
    __threadfence_block();
    if (!Faulty) atomicExch(&s.lock, 0);
  }
  __syncthreads();
  out[threadIdx.x] = s.sum;
}
}  // namespace lock

FAULT(lock, "a lock that is not given back", .run = run<lock::kernel<true>, lock::kernel<false>>, .kind = Kind::livelock,
      .says  = {"block 0 only polls, and nothing changes", "polls at", "waits for its block", "63 of 64 threads are there"},
      .lines = {"lock.take"})

// One block waits for another.
namespace other_block {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  int* flag = out + 512;
  if (blockIdx.x == 1 && threadIdx.x == 0 && !Faulty) {
    out[0] = in[0];
    __threadfence();
    atomicExch(flag, 7);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    while (atomicAdd(flag, 0) != 7) {}  // <other_block.wait>
    __threadfence();
    out[1] = out[0];
  }
}
}  // namespace other_block

FAULT(other_block, "a block waits for what no other block does",
      .run = run<other_block::kernel<true>, other_block::kernel<false>, 32, 3>, .kind = Kind::livelock,
      .says = {"block 0 only polls, and nothing changes", "thread 0 of block 0 polls at"}, .lines = {"other_block.wait"})

// --- the rest ------------------------------------------------------------------------------------------------------

namespace in_order_of_arrival {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  __shared__ int next;
  if (threadIdx.x == 0) next = 0;
  __syncthreads();
  const int at = Faulty ? atomicAdd(&next, 1) : int(threadIdx.x);
  out[at]      = in[threadIdx.x];  // <in_order_of_arrival.write>
}
}  // namespace in_order_of_arrival

FAULT(in_order_of_arrival, "results stand in the order in which threads came by",
      .run = run<in_order_of_arrival::kernel<true>, in_order_of_arrival::kernel<false>>, .kind = Kind::nondeterministic,
      .says  = {"leaves other bytes in device memory than the first one: the 4 bytes at byte", "of the allocation at 0x",
                "one that writes there is faults_meetings.cu:", "must not depend on the order",
                "Fix: order those who write it"},
      .lines = {"in_order_of_arrival.write"}, .within = 100)

namespace blocks_collide {
template <bool Faulty> __global__ void kernel(int* out) {
  out[(Faulty ? 0 : blockIdx.x * 32) + threadIdx.x] = int(blockIdx.x);
}
}  // namespace blocks_collide

FAULT(blocks_collide, "all blocks write to one place",
      .run = run<blocks_collide::kernel<true>, blocks_collide::kernel<false>, 32, 3>, .kind = Kind::nondeterministic,
      .says = {"other bytes in device memory than the first one"}, .within = 100)

namespace traps {
template <bool Faulty> __global__ void kernel(int* out) {
  if (Faulty && threadIdx.x == 5) __trap();  // <traps.trap>
  out[threadIdx.x] = 1;
}
}  // namespace traps

FAULT(traps, "a kernel that stops itself", .run = run<traps::kernel<true>, traps::kernel<false>>, .kind = Kind::trap,
      .says = {"thread 5 stops the kernel"}, .lines = {"traps.trap"})

namespace many_atomics {
__global__ void kernel(const int* in, int* out) {
  __shared__ int counts[8];
  if (threadIdx.x < 8) counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < 8000; ++i) atomicAdd(&counts[(in[threadIdx.x] + i) & 7], 1);
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = counts[threadIdx.x];
}
}  // namespace many_atomics

}  // namespace

TEST_CASE("work with atomic operations is not taken for polling") {
  const auto result =
      tma::machine::explore({.schedules = 4}, [] { run<many_atomics::kernel, many_atomics::kernel>(false); });
  INFO(result.text());
  CHECK(result.clean());
  CHECK(result.schedules == 4);
}
