// Faults of waiting: which phase of which barrier, and what keeps it from being overtaken.
#include "faults.hpp"

using namespace faults;

namespace {

// One tile after the other through one barrier, and everything that can go wrong with the wait.
enum class Waits { right, by_stage, inverted, issuer_toggles, from_the_second, by_another, not_at_all, one_thread };

template <Waits How> __global__ void one_after_the_other(const __grid_constant__ Map from, int* out) {
  constexpr int stages = 3;
  auto&         r      = ring<2>();
  for (int i = 0; i < 4; ++i) {
    if (threadIdx.x == 0) {
      ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, i * 4}}, r.full_at(0));  // <waits.load>
      ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
      if (How == Waits::by_another) ptx::mbarrier_arrive(r.full_at(1));
    }
    int parity = i % 2;
    if (How == Waits::by_stage) parity = i / stages % 2;
    if (How == Waits::inverted) parity = (i + 1) % 2;
    if (How == Waits::issuer_toggles && threadIdx.x != 0) parity = 0;
    const int which = How == Waits::by_another ? 1 : 0;
    if (How <= Waits::issuer_toggles || How == Waits::by_another || (How == Waits::from_the_second && i > 0) ||
        (How == Waits::one_thread && threadIdx.x == 0))
      while (!ptx::mbarrier_try_wait(r.full_at(which), parity)) {}
    out[i * 64 + threadIdx.x] = r.tile[0][threadIdx.x];  // <waits.read>
    ptx::sync_block();
    ptx::fence_proxy_async_shared();
  }
}

FAULT(parity_of_the_ring, "the parity of a ring of three stages for a barrier that is used in every step",
      .run = run<one_after_the_other<Waits::by_stage>, one_after_the_other<Waits::right>>, .kind = Kind::unwaited_load,
      .says  = {"thread 0 reads tile 0 of stage 0", "completes on full[0] phase 1, which thread 0 has not waited for"},
      .lines = {"waits.read", "waits.load"})

FAULT(parity_of_a_producer, "the first wait is for parity 1, which a fresh barrier counts as complete",
      .run = run<one_after_the_other<Waits::inverted>, one_after_the_other<Waits::right>>, .kind = Kind::unwaited_load,
      .says  = {"thread 0 reads tile 0 of stage 0", "completes on full[0] phase 0, which thread 0 has not waited for"},
      .lines = {"waits.read", "waits.load"})

FAULT(issuer_toggles, "only the issuing thread goes on to the next parity",
      .run = run<one_after_the_other<Waits::issuer_toggles>, one_after_the_other<Waits::right>>, .kind = Kind::unwaited_load,
      .says  = {"thread 1 reads tile 0 of stage 0", "completes on full[0] phase 1, which thread 1 has not waited for"},
      .lines = {"waits.read", "waits.load"})

FAULT(first_wait_skipped, "the first step does not wait",
      .run   = run<one_after_the_other<Waits::from_the_second>, one_after_the_other<Waits::right>>,
      .kind  = Kind::unwaited_load,
      .says  = {"thread 0 reads tile 0 of stage 0", "completes on full[0] phase 0, which thread 0 has not waited for"},
      .lines = {"waits.read", "waits.load"})

FAULT(another_barrier, "a wait for another barrier than the load's",
      .run = run<one_after_the_other<Waits::by_another>, one_after_the_other<Waits::right>>, .kind = Kind::unwaited_load,
      .says  = {"thread 0 reads tile 0 of stage 0", "completes on full[0] phase 0, which thread 0 has not waited for"},
      .lines = {"waits.read", "waits.load"})

FAULT(never_waited, "nobody waits, and the data is mostly there",
      .run = run<one_after_the_other<Waits::not_at_all>, one_after_the_other<Waits::right>>, .kind = Kind::unwaited_load,
      .says  = {"thread 0 reads tile 0 of stage 0", "completes on full[0] phase 0, which thread 0 has not waited for"},
      .lines = {"waits.read", "waits.load"})

FAULT(one_thread_waits, "one thread waits for all, and they do not meet",
      .run = run<one_after_the_other<Waits::one_thread>, one_after_the_other<Waits::right>>, .kind = Kind::unwaited_load,
      .says  = {"thread 1 reads tile 0 of stage 0", "completes on full[0] phase 0, which thread 1 has not waited for"},
      .lines = {"waits.read", "waits.load"})

namespace waits_twice {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  ptx::describe(&s.barrier, sizeof s.barrier, "barrier");
  if (auto issuer = block.elect()) issuer.load(from, {0, 0}, s.tile, arrived);
  arrived.wait();
  if (Faulty) arrived.wait();  // <waits_twice.wait>
  out[threadIdx.x] = s.tile[threadIdx.x];
}
}  // namespace waits_twice

FAULT(waits_twice, "two waits for one load", .run = run<waits_twice::kernel<true>, waits_twice::kernel<false>>,
      .kind = Kind::deadlock, .says = {"thread 0 and 63 more waits for phase 1 of barrier", "1 of 1 arrivals missing"},
      .lines = {"waits_twice.wait"})

// To ask is not to wait: the phase that is asked for stays the same.
namespace asks {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  ptx::describe(&s.tile, sizeof s.tile, "tile");
  ptx::describe(&s.barrier, sizeof s.barrier, "barrier");
  for (int i = 0; i < 3; ++i) {
    if (auto issuer = block.elect()) issuer.load(from, {i * 4, 0}, s.tile, arrived);  // <asks.load>
    while (!arrived.is_complete()) {}
    if (!Faulty) arrived.wait();
    out[i * 64 + block.rank()] = s.tile[block.rank()];  // <asks.read>
    block.release(s.tile);
  }
}
}  // namespace asks

FAULT(asks, "a loop asks for the phase and does not wait for it", .run = run<asks::kernel<true>, asks::kernel<false>>,
      .kind = Kind::unwaited_load, .says = {"reads tile", "completes on barrier phase 1", "has not waited for"},
      .lines = {"asks.read", "asks.load"})

// The last thread looks for what the first one brings.
namespace never_issued {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (threadIdx.x == 0 && !Faulty) {
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
  }
  while (!ptx::mbarrier_test_wait(r.full_at(0), 0)) {}  // <never_issued.ask>
  out[threadIdx.x] = Faulty ? 0 : r.tile[0][threadIdx.x];
}
}  // namespace never_issued

FAULT(never_issued, "all threads ask for a load that nobody issues",
      .run = run<never_issued::kernel<true>, never_issued::kernel<false>>, .kind = Kind::livelock,
      .says = {"block 0 only polls, and nothing changes", "thread 0 and 63 more", "polls"}, .lines = {"never_issued.ask"})

// A warp produces, and all its lanes wait for the stage; the first one issues. What keeps lane 31 from being a round late?
namespace slow_lane {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto&     r    = ring<1>();
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < 4; ++i) {
    if (threadIdx.x >= 32) {
      if (i > 0)
        while (!ptx::mbarrier_try_wait(r.empty_at(0), (i - 1) % 2)) {}  // <slow_lane.wait>
      if (!Faulty) ptx::sync_warp();
      if (lane == 0) {
        ptx::fence_proxy_async_shared();
        ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
        ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, i * 4}}, r.full_at(0));
      }
    } else {
      while (!ptx::mbarrier_try_wait(r.full_at(0), i % 2)) {}
      out[i * 32 + lane] = r.tile[0][lane];
      ptx::sync_warp();
      if (lane == 0) ptx::mbarrier_arrive(r.empty_at(0));
    }
  }
}
}  // namespace slow_lane

FAULT(slow_lane, "a whole warp waits, and only one lane keeps the next phase from coming",
      .run = run<slow_lane::kernel<true>, slow_lane::kernel<false>>, .kind = Kind::phase_unordered,
      .says  = {"thread 33 waits for phase 0 of empty[0]", "nothing keeps phase 1 from completing before that wait is over"},
      .lines = {"slow_lane.wait"})

// The same in the first round: the phase before the first one counts as complete, but only until the first one is.
namespace slow_lane_at_first {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto&     r    = ring<1>();
  const int lane = threadIdx.x % 32;
  if (threadIdx.x >= 32) {
    while (!ptx::mbarrier_try_wait(r.empty_at(0), 1)) {}  // <slow_lane_at_first.wait>
    if (!Faulty) ptx::sync_warp();
    if (lane == 0) {
      ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
      ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));
    }
  } else {
    while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
    out[lane] = r.tile[0][lane];
    ptx::sync_warp();
    if (lane == 0) ptx::mbarrier_arrive(r.empty_at(0));
  }
}
}  // namespace slow_lane_at_first

FAULT(slow_lane_at_first, "a whole warp waits for the first round, and one lane issues",
      .run = run<slow_lane_at_first::kernel<true>, slow_lane_at_first::kernel<false>>, .kind = Kind::phase_unordered,
      .says = {"thread 33 waits for phase -1 of empty[0]", "nothing keeps phase 0 from completing before that wait is over"},
      .lines = {"slow_lane_at_first.wait"})

// Each warp uses every second tile, and looks at the barrier of all.
namespace every_second_phase {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto&     r    = ring<1>(2);
  const int warp = threadIdx.x / 32;
  for (int i = 0; i < 4; ++i) {
    if (threadIdx.x == 64) {
      while (!ptx::mbarrier_try_wait(r.empty_at(0), (i + 1) % 2)) {}
      ptx::fence_proxy_async_shared();
      ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
      ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, i * 4}}, r.full_at(0));  // <every_second_phase.load>
    }
    if (warp < 2 && (!Faulty || i % 2 == warp)) {
      while (!ptx::mbarrier_try_wait(r.full_at(0), i % 2)) {}
      if (i % 2 == warp) out[i * 32 + threadIdx.x % 32] = r.tile[0][threadIdx.x % 32];  // <every_second_phase.read>
      ptx::sync_warp();
      if (threadIdx.x % 32 == 0)
        for (int n = 0; n < (Faulty ? 2 : 1); ++n) ptx::mbarrier_arrive(r.empty_at(0));
    }
  }
}
}  // namespace every_second_phase

FAULT(every_second_phase, "each of two warps waits for every second phase",
      .run = run<every_second_phase::kernel<true>, every_second_phase::kernel<false>, 96>, .kind = Kind::unwaited_load,
      .says  = {"thread 32 reads tile 0 of stage 0", "completes on full[0] phase 0, which thread 32 has not waited for"},
      .lines = {"every_second_phase.read", "every_second_phase.load"})

}  // namespace
