// Faults of arming and counting. And all kernels without their fault, at length.
#include "faults.hpp"

using namespace faults;

namespace {

// --- arming --------------------------------------------------------------------------------------------------------

namespace missing_arm {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (threadIdx.x == 0) {
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));
    if (!Faulty) ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}  // <missing_arm.wait>
  out[threadIdx.x] = r.tile[0][threadIdx.x];
}
}  // namespace missing_arm

FAULT(missing_arm, "a copy is issued, and nobody arms its barrier",
      .run = run<missing_arm::kernel<true>, missing_arm::kernel<false>>, .kind = Kind::deadlock,
      .says  = {"block 0 cannot go on", "thread 0 and 63 more waits for phase 0 of full[0]", "1 of 1 arrivals missing",
                "512 bytes more landed than were armed"},
      .lines = {"missing_arm.wait"})

namespace armed_half {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (threadIdx.x == 0) {
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));  // <armed_half.load>
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), Faulty ? Tile::size * sizeof(short) : Tile::size * sizeof(int));
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[threadIdx.x] = r.tile[0][threadIdx.x];
}
}  // namespace armed_half

FAULT(armed_half, "armed for elements of half the size", .run = run<armed_half::kernel<true>, armed_half::kernel<false>>,
      .kind = Kind::bytes_short, .says = {"full[0]", "phase 0", "armed 256 bytes, copies issued 512 bytes"},
      .lines = {"armed_half.load"})

// At the edge of the tensor the engine fills what is outside, and counts it as well.
namespace armed_inside {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (threadIdx.x == 0) {
    const int first = rows - 1;
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), (Faulty ? rows - first : 4) * columns * int(sizeof(int)));
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, first}}, r.full_at(0));  // <armed_inside.load>
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[threadIdx.x] = r.tile[0][threadIdx.x];
}
}  // namespace armed_inside

FAULT(armed_inside, "armed for the part of a tile that lies in the tensor",
      .run = run<armed_inside::kernel<true>, armed_inside::kernel<false>>, .kind = Kind::bytes_short,
      .says = {"full[0]", "phase 0", "armed 128 bytes, copies issued 512 bytes"}, .lines = {"armed_inside.load"})

namespace armed_one_of_two {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<2>();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), Faulty ? tile_bytes : 2 * tile_bytes);
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));
    ptx::tensor_load<2>(r.tile_at(1), tma::tensor_map(from), {{0, 4}}, r.full_at(0));  // <armed_one_of_two.load>
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[threadIdx.x] = r.tile[0][threadIdx.x] + r.tile[1][threadIdx.x];
}
}  // namespace armed_one_of_two

FAULT(armed_one_of_two, "two copies, and armed for one",
      .run = run<armed_one_of_two::kernel<true>, armed_one_of_two::kernel<false>>, .kind = Kind::bytes_short,
      .says = {"full[0]", "phase 0", "armed 512 bytes, copies issued 1024 bytes"}, .lines = {"armed_one_of_two.load"})

namespace armed_padding {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (threadIdx.x == 0) {
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), Faulty ? tile_bytes + 128 : tile_bytes);
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}  // <armed_padding.wait>
  out[threadIdx.x] = r.tile[0][threadIdx.x];
}
}  // namespace armed_padding

FAULT(armed_padding, "armed for padding that no copy moves",
      .run = run<armed_padding::kernel<true>, armed_padding::kernel<false>>, .kind = Kind::deadlock,
      .says  = {"waits for phase 0 of full[0]", "0 of 1 arrivals missing",
                "128 bytes missing (armed 640, copies issued 512, landed 512)"},
      .lines = {"armed_padding.wait"})

// The second block has no work left, and waits for it.
namespace armed_for_nothing {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  constexpr int work = 1;
  auto&         r    = ring<1>();
  const bool    copy = int(blockIdx.x) < work;
  if (threadIdx.x == 0) {
    if (copy) ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, int(blockIdx.x) * 4}}, r.full_at(0));
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), Faulty || copy ? tile_bytes : 0);
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}  // <armed_for_nothing.wait>
  if (copy) out[blockIdx.x * 64 + threadIdx.x] = r.tile[0][threadIdx.x];
}
}  // namespace armed_for_nothing

FAULT(armed_for_nothing, "armed where no copy is issued",
      .run = run<armed_for_nothing::kernel<true>, armed_for_nothing::kernel<false>, 64, 2>, .kind = Kind::deadlock,
      .says  = {"block 1 cannot go on", "thread 0 of block 1 and 63 more waits for phase 0 of full[0]",
                "512 bytes missing (armed 512, copies issued 0, landed 0)"},
      .lines = {"armed_for_nothing.wait"})

namespace armed_another {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<2>();
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; ++s) {
      ptx::tensor_load<2>(r.tile_at(s), tma::tensor_map(from), {{0, s * 4}}, r.full_at(s));
      ptx::mbarrier_arrive_expect_tx(r.full_at(Faulty ? 0 : s), tile_bytes);  // <armed_another.arm>
    }
  }
  for (int s = 0; s < 2; ++s) {
    while (!ptx::mbarrier_try_wait(r.full_at(s), 0)) {}
    out[s * 64 + threadIdx.x] = r.tile[s][threadIdx.x];
  }
}
}  // namespace armed_another

FAULT(armed_another, "the second stage arms the barrier of the first",
      .run = run<armed_another::kernel<true>, armed_another::kernel<false>>, .kind = Kind::arrivals_over,
      .says  = {"thread 0 arrives at full[0] in phase 0", "has had all its 1 arrivals", "waits for 1024 bytes"},
      .lines = {"armed_another.arm"})

// The copy that would follow the last one is armed for, and nobody looks any more.
namespace armed_at_the_end {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  constexpr int steps = 3;
  auto&         r     = ring<2>();
  for (int i = 0; i < steps; ++i) {
    if (threadIdx.x == 0)
      for (int k = i == 0 ? 0 : i + 1; k <= i + 1; ++k) {
        if (k < steps) ptx::tensor_load<2>(r.tile_at(k % 2), tma::tensor_map(from), {{0, k * 4}}, r.full_at(k % 2));
        if (Faulty || k < steps) ptx::mbarrier_arrive_expect_tx(r.full_at(k % 2), tile_bytes);
      }
    while (!ptx::mbarrier_try_wait(r.full_at(i % 2), i / 2 % 2)) {}
    out[i * 64 + threadIdx.x] = r.tile[i % 2][threadIdx.x];
    ptx::sync_block();
    ptx::fence_proxy_async_shared();
  }
}
}  // namespace armed_at_the_end

FAULT(armed_at_the_end, "a block ends with a barrier armed",
      .run = run<armed_at_the_end::kernel<true>, armed_at_the_end::kernel<false>>, .kind = Kind::bytes_over,
      .says = {"block 0 ends with full[1] in phase 1", "a balance of 512 bytes: armed 512, landed 0"})

namespace armed_too_much_at_once {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r = ring<1>();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), Faulty ? 1u << 20 : 0);  // <armed_too_much_at_once.arm>
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[threadIdx.x] = 1;
}
}  // namespace armed_too_much_at_once

FAULT(armed_too_much_at_once, "more bytes than a barrier can count",
      .run  = run<armed_too_much_at_once::kernel<true>, armed_too_much_at_once::kernel<false>>,
      .kind = Kind::transaction_overflow, .says = {"thread 0", "full[0]", "1048576 bytes", "at most 1048575"},
      .lines = {"armed_too_much_at_once.arm"})

// --- counting ------------------------------------------------------------------------------------------------------

// Two warps use a stage, and one lane of each says so.
__global__ void one_lane_a_warp(const __grid_constant__ Map from, int* out, u32 count) {
  auto& r = ring<1>(count);
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.x == 0) {
      if (i > 0)
        while (!ptx::mbarrier_try_wait(r.empty_at(0), (i - 1) % 2)) {}  // <one_lane_a_warp.wait>
      ptx::fence_proxy_async_shared();
      ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, i * 4}}, r.full_at(0));  // <one_lane_a_warp.load>
      ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
    }
    while (!ptx::mbarrier_try_wait(r.full_at(0), i % 2)) {}
    const int value = r.tile[0][threadIdx.x];  // <one_lane_a_warp.read>
    ptx::sync_warp();
    if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(r.empty_at(0));
    out[i * 64 + threadIdx.x] = value;
  }
}

FAULT(
    count_too_high, "a barrier counts threads, and one lane of each warp arrives",
    .run =
        [](bool faulty) {
          Data d;
          tma::launch(one_lane_a_warp, {.grid = 1, .block = 64}, d.from, d.out.get(), faulty ? 64u : 2u);
        },
    .kind  = Kind::deadlock,
    .says  = {"thread 0 waits for phase 0 of empty[0]", "62 of 64 arrivals missing", "phase 1 of full[0]"},
    .lines = {"one_lane_a_warp.wait"})

FAULT(
    count_too_low, "a barrier counts one warp of the two that use the stage",
    .run =
        [](bool faulty) {
          Data d;
          tma::launch(one_lane_a_warp, {.grid = 1, .block = 64}, d.from, d.out.get(), faulty ? 1u : 2u);
        },
    .kind  = Kind::early_reuse,
    .says  = {"the load of tile 0 of stage 0 that thread 0 issues", "thread 32", "may still be reading it",
              "has not released it"},
    .lines = {"one_lane_a_warp.load", "one_lane_a_warp.read"})

namespace every_lane_arrives {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>(Faulty ? 1 : 32);
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.x == 32) {
      if (i > 0)
        while (!ptx::mbarrier_try_wait(r.empty_at(0), (i - 1) % 2)) {}  // <every_lane_arrives.wait>
      ptx::fence_proxy_async_shared();
      ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, i * 4}}, r.full_at(0));
      ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
    }
    if (threadIdx.x < 32) {
      while (!ptx::mbarrier_try_wait(r.full_at(0), i % 2)) {}
      out[i * 32 + threadIdx.x] = r.tile[0][threadIdx.x];
      ptx::mbarrier_arrive(r.empty_at(0));
    }
  }
}
}  // namespace every_lane_arrives

FAULT(every_lane_arrives, "a barrier counts warps, and every lane arrives",
      .run = run<every_lane_arrives::kernel<true>, every_lane_arrives::kernel<false>>, .kind = Kind::phase_missed,
      .says  = {"thread 32 waits for phase 0 of empty[0]", "in phase 32 already", "parity 0 means another phase"},
      .lines = {"every_lane_arrives.wait"})

namespace all_arrive_at_a_load {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));
  } else if (Faulty) {
    ptx::mbarrier_arrive(r.full_at(0));  // <all_arrive_at_a_load.arrive>
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[threadIdx.x] = r.tile[0][threadIdx.x];
}
}  // namespace all_arrive_at_a_load

FAULT(all_arrive_at_a_load, "every thread arrives at a barrier that counts the issuing one",
      .run = run<all_arrive_at_a_load::kernel<true>, all_arrive_at_a_load::kernel<false>>, .kind = Kind::arrivals_over,
      .says  = {"thread 1 arrives at full[0] in phase 0", "has had all its 1 arrivals", "waits for 512 bytes"},
      .lines = {"all_arrive_at_a_load.arrive"})

}  // namespace

// --- all of them, without their fault ------------------------------------------------------------------------------

TEST_CASE("the kernels without their faults are clean, each in ten thousand schedules", "[.long]") {
  const char* const set       = std::getenv("TMA_TEST_SCHEDULES");  // fewer, where threads are switched by ucontext
  const int         each      = set ? std::atoi(set) : 10000;
  long long         schedules = 0;
  for (const Fault* f : all()) {
    const auto right = tma::machine::explore({.schedules = each, .seed = 7}, [&] { f->run(false); });
    INFO(f->title << ": " << right.text());
    CHECK(right.clean());
    CHECK(right.schedules >= each);
    schedules += right.schedules;
  }
  std::printf("%zu kernels, %lld schedules\n", all().size(), schedules);
}

TEST_CASE("the kernels without their faults are clean, whatever the strategy", "[.long]") {
  using tma::machine::Strategy;
  for (const Strategy strategy : {Strategy::late, Strategy::early, Strategy::random, Strategy::victims, Strategy::reverse,
                                  Strategy::timed, Strategy::exhaustive})
    for (const Fault* f : all()) {
      const auto right = tma::machine::explore({.schedules = 5, .seed = 3, .strategy = strategy, .most_states = 1000},
                                               [&] { f->run(false); });
      INFO(f->title << ", strategy " << int(strategy) << ": " << right.text());
      CHECK(right.clean());
    }
}

// For people: what is found, and how soon.
TEST_CASE("the faults, as a table", "[.table]") {
  for (const Fault* f : all()) {
    const auto  found  = tma::machine::explore({.schedules = 100}, [&] { f->run(true); });
    const auto* report = found.find(f->kind);
    std::printf("%-24s %-12s %s\n", tma::machine::name_of(f->kind),
                report ? ("schedule " + std::to_string(report->schedule)).c_str() : "not found", f->title);
  }
}
