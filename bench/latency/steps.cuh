// What each step of a copy costs the thread that takes it, and what the first use of a descriptor does.
#pragma once

#include <tma/device/prefetch.hpp>

#include "hand.cuh"
#include "ours.cuh"

namespace latency {

enum class Step {
  none,
  elect,
  init,
  fence_init,
  this_block,
  arm,
  arrive,
  wait,
  arrive_and_wait,
  fence_async,
  sync,
  publish,
  release,
  issue_bulk,
  issue_tensor,
  prefetch_descriptor,
};
inline constexpr int         steps        = int(Step::prefetch_descriptor) + 1;
inline constexpr const char* step_names[] = {
    "nothing: two reads of the clock",
    "elect",
    "barrier init",
    "fence.mbarrier_init",
    "this_block: init + fence + meeting",
    "arm: arrive.expect_tx",
    "arrive",
    "wait for a completed phase",
    "arrive and wait for it",
    "fence.proxy.async",
    "__syncthreads",
    "publish: fence + meeting",
    "release: meeting + fence",
    "issue a bulk copy of 128 B",
    "issue a tensor copy of 128 B",
    "prefetch of a warm descriptor",
};
inline constexpr int step_repeats = 64;  // samples of each
inline constexpr int step_row     = 4;   // of a step in a row: what is timed

struct StepRoom {
  Tile             tile;
  tma::LoadBarrier full;
  tma::Mbarrier<1> thread;
  tma::LoadBarrier made[step_row];  // again and again
};

// One block. `out`: cycles of `step_row` steps, `step_repeats` of each step, and of this many `threads`.
template <int Threads>
__global__ void __launch_bounds__(Threads) step_costs(const __grid_constant__ Tensor<2> in, const int* data, unsigned* out) {
  auto& s                      = tma::shared<StepRoom>();
  auto [block, arrived, other] = tma::this_block<Threads>(s.full, s.thread);
  auto&      group             = block;  // a lambda does not capture a structured binding everywhere
  auto&      phase             = arrived;
  auto&      pair              = other;
  const auto time              = [&](Step step, auto before, auto what, auto after) {
    for (int r = 0; r < step_repeats; ++r) {
      before();
      __syncthreads();
      const unsigned from = clock_now();
#pragma unroll
      for (int k = 0; k < step_row; ++k) what(k);
      const unsigned to = clock_now();
      after();
      if (threadIdx.x == 0) out[int(step) * step_repeats + r] = to - from;
      __syncthreads();
    }
  };
  const auto nothing = [] {};
  const bool leader  = threadIdx.x == 0;
  const auto made    = [&](int k) { return hand::address_of(&s.made[k]); };
  const auto unmake  = [&] {
    __syncthreads();
    if (leader)
      for (int k = 0; k < step_row; ++k) hand::invalidate(made(k));
  };

  int taken = 0;
  time(Step::none, nothing, [](int) {}, nothing);
  time(Step::elect, nothing, [&](int) { taken += bool(group.elect()); }, [&] { consume(taken); });
  time(
      Step::init, nothing,
      [&](int k) {
        if (leader) hand::init(made(k));
      },
      unmake);
  time(
      Step::fence_init, nothing,
      [&](int) {
        if (leader) hand::fence_init();
      },
      nothing);
  time(Step::this_block, nothing, [&](int k) { static_cast<void>(tma::this_block<Threads>(s.made[k])); }, unmake);

  // A batch without loads is its arrival alone: nothing is to come, and the phase completes. After an even number of phases
  // a thread's phase is where it was, and the phase before has the other parity.
  static_assert(step_row % 2 == 0);
  const unsigned thread = hand::address_of(&s.thread);
  time(
      Step::arm, nothing,
      [&](int) {
        if (auto issuer = group.elect()) tma::LoadBatch(issuer, phase);
      },
      nothing);
  time(
      Step::arrive, nothing,
      [&](int) {
        if (leader) s.thread.arrive();
      },
      nothing);
  time(Step::wait, nothing, [&](int) { hand::wait(thread, 1); }, nothing);
  time(
      Step::arrive_and_wait, nothing,
      [&](int) {
        if (leader) {
          s.thread.arrive();
          pair.wait();
        }
      },
      nothing);
  time(Step::fence_async, nothing, [&](int) { hand::fence_async(); }, nothing);
  time(Step::sync, nothing, [&](int) { group.sync(); }, nothing);
  time(
      Step::publish, [&] { s.tile[int(threadIdx.x)] = 1; }, [&](int) { static_cast<void>(group.publish(s.tile)); }, nothing);
  time(Step::release, nothing, [&](int) { group.release(s.tile); }, nothing);

  // Copies that complete together: the barrier is armed when the clock has been read.
  const unsigned full = hand::address_of(&s.full), tile = hand::address_of(&s.tile);
  const auto     arm = [&] {
    if (leader) hand::arm(full, 128 * step_row);
    phase.wait();
  };
  const auto& map = *static_cast<const hand::Map*>(tma::tensor_map(in));
  time(
      Step::issue_bulk, nothing,
      [&](int) {
        if (leader) hand::load(tile, data, 128, full);
      },
      arm);
  time(
      Step::issue_tensor, nothing,
      [&](int) {
        if (leader) hand::load<2>(tile, map, 0, full);
      },
      arm);
  time(
      Step::prefetch_descriptor, nothing,
      [&](int) {
        if (auto issuer = group.elect()) issuer.prefetch_descriptor(in);
      },
      nothing);
}

// --- the first copy through a descriptor ----------------------------------------------------------------------------

enum class First { cold, prefetched_early, prefetched_late };
inline constexpr const char* first_names[] = {"cold", "prefetched 4000 cycles before", "prefetched just before"};

// One warp. `warm` wakes the engine and the way to memory; then `in` is used for the first time, and once more. Both bring
// bytes that are in the second-level cache. `out`: cycles of the two, and of a third and fourth.
template <bool Ours>
__global__ void __launch_bounds__(32)
    first_use(const __grid_constant__ Tensor<2> warm, const __grid_constant__ Tensor<2> in, First how, unsigned* out) {
  auto& s               = tma::shared<TensorRoom>();
  auto [block, arrived] = tma::this_block<32>(s.barrier);
  int        row        = 0;
  auto&      group      = block;  // a lambda does not capture a structured binding everywhere
  auto&      phase      = arrived;
  const auto hop        = [&](const Tensor<2>& through, int slot) {
    if constexpr (Ours) {
      if (auto issuer = group.elect()) issuer.load(through, {row, 0}, s.slot[slot], phase);
    } else if (hand::elected()) {
      const unsigned barrier = hand::address_of(&s.barrier);
      hand::load<2>(hand::address_of(&s.slot[slot]), *static_cast<const hand::Map*>(tma::tensor_map(through)), row, barrier);
      hand::arm(barrier, 128);
    }
    phase.wait();
    row = s.slot[slot][coordinate_word<2>];
    consume(row);
  };
  for (int i = 0; i < 4; ++i) hop(warm, i);
  const unsigned before = clock_now();
  if (how != First::cold)
    if (auto issuer = group.elect()) issuer.prefetch_descriptor(in);
  if (how == First::prefetched_early)
    while (clock_now() - before < 4000);
  for (int i = 0; i < 4; ++i) {
    const unsigned from = clock_now();
    hop(in, 4 + i);
    const unsigned to = clock_now();
    if (threadIdx.x == 0) out[i] = to - from;
  }
}

}  // namespace latency
