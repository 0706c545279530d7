// Faults of stages that are filled again and again: who issues, which stage, and who may still use it.
#include "faults.hpp"

using namespace faults;

namespace {

// --- who issues ----------------------------------------------------------------------------------------------------

enum class Issues { one, one_of_each_warp, a_warp };

template <Issues Who> __global__ void issue(const __grid_constant__ Map from, int* out) {
  auto&      r   = ring<1>();
  const bool one = ptx::elect_sync() & (threadIdx.x < 32);
  if (Who == Issues::one ? one : Who == Issues::one_of_each_warp ? threadIdx.x % 32 == 0 : threadIdx.x < 32) {
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));  // <issue.load>
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[threadIdx.x] = r.tile[0][threadIdx.x];
}

FAULT(two_issue, "one thread of every warp issues the copy", .run = run<issue<Issues::one_of_each_warp>, issue<Issues::one>>,
      .kind  = Kind::load_over_load,
      .says  = {"the load of tile 0 of stage 0 that thread 32 issues", "a load of thread 0", "is still filling it",
                "completes on full[0] phase 0"},
      .lines = {"issue.load"})

FAULT(a_warp_issues, "a whole warp issues the copy", .run = run<issue<Issues::a_warp>, issue<Issues::one>>,
      .kind  = Kind::load_over_load,
      .says  = {"the load of tile 0 of stage 0 that thread", "a load of thread", "is still filling it", "full[0] phase 0"},
      .lines = {"issue.load"})

namespace twice_into_one {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  struct Shared {
    Tile             a, b;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  ptx::describe(&s.a, sizeof s.a, "tile a");
  ptx::describe(&s.barrier, sizeof s.barrier, "barrier");
  if (auto issuer = block.elect()) {
    tma::LoadBatch batch(issuer, arrived);
    batch.load(from, {0, 0}, s.a);                 // <twice_into_one.first>
    batch.load(from, {4, 0}, Faulty ? s.a : s.b);  // <twice_into_one.second>
  }
  arrived.wait();
  out[threadIdx.x] = s.a[threadIdx.x] + (Faulty ? 0 : s.b[threadIdx.x]);
}
}  // namespace twice_into_one

FAULT(twice_into_one, "two copies into one tile", .run = run<twice_into_one::kernel<true>, twice_into_one::kernel<false>>,
      .kind  = Kind::load_over_load,
      .says  = {"the load of tile a that thread 0 issues", "a load of thread 0", "is still filling it",
                "completes on barrier phase 0"},
      .lines = {"twice_into_one.first", "twice_into_one.second"})

// --- which stage ---------------------------------------------------------------------------------------------------

namespace more_than_stages {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  constexpr int stages = 2;
  auto&         r      = ring<stages>();
  if (threadIdx.x == 0)
    for (int i = 0; Faulty ? i <= stages : i < stages; ++i) {
      ptx::mbarrier_arrive_expect_tx(r.full_at(i % stages), tile_bytes);
      ptx::tensor_load<2>(r.tile_at(i % stages), tma::tensor_map(from), {{0, i * 4}}, r.full_at(i % stages));
    }
  for (int i = 0; i < stages; ++i) {
    while (!ptx::mbarrier_try_wait(r.full_at(i), 0)) {}
    out[i * 64 + threadIdx.x] = r.tile[i][threadIdx.x];
  }
}
}  // namespace more_than_stages

FAULT(armed_before_its_time, "a prefetch of one tile more than there are stages, armed first",
      .run = run<more_than_stages::kernel<true>, more_than_stages::kernel<false>>, .kind = Kind::arrivals_over,
      .says = {"thread 0 arrives at full[0] in phase 0", "has had all its 1 arrivals", "waits for 1024 bytes"})

namespace more_in_flight {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  constexpr int stages = 2;
  struct Shared {
    Tile             tile[stages];
    tma::LoadBarrier full[stages];
  };
  auto& s              = tma::shared<Shared>();
  auto [block, f0, f1] = tma::this_block(s.full[0], s.full[1]);
  for (int i = 0; i < stages; ++i) {
    ptx::describe(&s.tile[i], sizeof s.tile[i], "tile 0 of stage %d", i);
    ptx::describe(&s.full[i], sizeof s.full[i], "full[%d]", i);
  }
  if (auto issuer = block.elect())
    for (int i = 0; Faulty ? i <= stages : i < stages; ++i)
      issuer.load(from, {i * 4, 0}, s.tile[i % stages], s.full[i % stages]);  // <more_in_flight.load>
  f0.wait();
  f1.wait();
  out[threadIdx.x] = s.tile[0][threadIdx.x] + s.tile[1][threadIdx.x];
}
}  // namespace more_in_flight

FAULT(more_in_flight, "a prefetch of one tile more than there are stages",
      .run = run<more_in_flight::kernel<true>, more_in_flight::kernel<false>>, .kind = Kind::load_over_load,
      .says  = {"the load of tile 0 of stage 0 that thread 0 issues", "a load of thread 0", "is still filling it",
                "full[0] phase 0"},
      .lines = {"more_in_flight.load"})

// Both stages are loaded at once, and used in turn.
enum class Reads { right, another_stage, before_the_wait };

template <Reads What> __global__ void two_stages(const __grid_constant__ Map from, int* out) {
  auto& r = ring<2>();
  if (threadIdx.x == 0)
    for (int s = 0; s < 2; ++s) {
      ptx::tensor_load<2>(r.tile_at(s), tma::tensor_map(from), {{0, s * 4}}, r.full_at(s));  // <two_stages.load>
      ptx::mbarrier_arrive_expect_tx(r.full_at(s), tile_bytes);
    }
  for (int s = 0; s < 2; ++s) {
    int value = 0;
    if (What == Reads::before_the_wait) value = r.tile[s][threadIdx.x];  // <two_stages.early>
    while (!ptx::mbarrier_try_wait(r.full_at(s), 0)) {}
    if (What != Reads::before_the_wait)
      value = r.tile[What == Reads::another_stage ? (s + 1) % 2 : s][threadIdx.x];  // <two_stages.read>
    out[s * 64 + threadIdx.x] = value;
  }
}

FAULT(another_stage, "the next stage is read instead of this one",
      .run = run<two_stages<Reads::another_stage>, two_stages<Reads::right>>, .kind = Kind::unwaited_load,
      .says  = {"thread 0 reads tile 0 of stage 1", "completes on full[1] phase 0, which thread 0 has not waited for"},
      .lines = {"two_stages.read", "two_stages.load"})

FAULT(before_the_wait, "the stage is read before the wait",
      .run = run<two_stages<Reads::before_the_wait>, two_stages<Reads::right>>, .kind = Kind::unwaited_load,
      .says  = {"thread 0 reads tile 0 of stage 0", "completes on full[0] phase 0, which thread 0 has not waited for"},
      .lines = {"two_stages.early", "two_stages.load"})

// --- filling a stage again -----------------------------------------------------------------------------------------

// A warp uses what a thread of the next one loads.
enum class Refills { right, when_full, unfenced, at_once };

template <Refills How> __global__ void producer_and_consumer(const __grid_constant__ Map from, int* out) {
  auto& r = ring<2>();
  for (int i = 0; i < 6; ++i) {
    const int s = i % 2, round = i / 2;
    if (threadIdx.x == 32) {
      if (How == Refills::when_full && i >= 2)
        while (!ptx::mbarrier_try_wait(r.full_at(s), (round - 1) % 2)) {}
      if (How == Refills::right || How == Refills::unfenced)
        while (!ptx::mbarrier_try_wait(r.empty_at(s), (round + 1) % 2)) {}
      if (How != Refills::unfenced) ptx::fence_proxy_async_shared();
      ptx::tensor_load<2>(r.tile_at(s), tma::tensor_map(from), {{0, i * 4}}, r.full_at(s));  // <refill.load>
      ptx::mbarrier_arrive_expect_tx(r.full_at(s), tile_bytes);
    }
    if (threadIdx.x < 32) {
      while (!ptx::mbarrier_try_wait(r.full_at(s), round % 2)) {}
      out[i * 32 + threadIdx.x] = r.tile[s][threadIdx.x];  // <refill.read>
      ptx::sync_warp();
      if (threadIdx.x == 0) ptx::mbarrier_arrive(r.empty_at(s));
    }
  }
}

FAULT(refill_when_full, "a stage is filled again once it is full, not once it is empty",
      .run   = run<producer_and_consumer<Refills::when_full>, producer_and_consumer<Refills::right>>,
      .kind  = Kind::early_reuse,
      .says  = {"the load of tile 0 of stage 0 that thread 32 issues", "thread 0", "may still be reading it",
                "has not released it"},
      .lines = {"refill.load", "refill.read"})

FAULT(refill_unfenced, "a stage is filled again without a proxy fence after the wait",
      .run   = run<producer_and_consumer<Refills::unfenced>, producer_and_consumer<Refills::right>>,
      .kind  = Kind::unfenced_reuse,
      .says  = {"the load of tile 0 of stage 0 that thread 32 issues", "thread 0", "has read it before",
                "no proxy fence lies between"},
      .lines = {"refill.load", "refill.read"})

FAULT(refill_at_once, "a stage is filled again without any wait",
      .run   = run<producer_and_consumer<Refills::at_once>, producer_and_consumer<Refills::right>>,
      .kind  = Kind::load_over_load,
      .says  = {"the load of tile 0 of stage 0 that thread 32 issues", "a load of thread 32", "is still filling it",
                "full[0] phase 0"},
      .lines = {"refill.load"})

// One tile again and again, by the whole block.
enum class Releases { right, sync_only, nothing };

template <Releases How> __global__ void again_and_again(const __grid_constant__ Map from, int* out) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  ptx::describe(&s.tile, sizeof s.tile, "tile");
  ptx::describe(&s.barrier, sizeof s.barrier, "barrier");
  for (int i = 0; i < 3; ++i) {
    if (auto issuer = block.elect()) issuer.load(from, {i * 4, 0}, s.tile, arrived);  // <again.load>
    arrived.wait();
    out[i * 64 + threadIdx.x] = s.tile[threadIdx.x];  // <again.read>
    if (How == Releases::right) block.release(s.tile);
    if (How == Releases::sync_only) block.sync();
  }
}

FAULT(reuse_unfenced, "a block meets before the next load, and does not release the tile",
      .run = run<again_and_again<Releases::sync_only>, again_and_again<Releases::right>>, .kind = Kind::unfenced_reuse,
      .says  = {"the load of tile that thread 0 issues", "has read it before", "no proxy fence lies between"},
      .lines = {"again.load", "again.read"})

FAULT(reuse_at_once, "the next load does not wait for the other readers",
      .run = run<again_and_again<Releases::nothing>, again_and_again<Releases::right>>, .kind = Kind::early_reuse,
      .says  = {"the load of tile that thread 0 issues", "thread 1", "may still be reading it", "has not released it"},
      .lines = {"again.load", "again.read"})

// A tile is set to zero by threads before or while a load fills it.
enum class Zeroes { right, unfenced, unmet, in_flight };

template <Zeroes How> __global__ void zero_and_load(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (How != Zeroes::in_flight)
    for (int i = threadIdx.x; i < Tile::size; i += 64) r.tile[0][i] = 0;  // <zeroes.before>
  if (How == Zeroes::right) ptx::fence_proxy_async_shared();
  if (How != Zeroes::unmet) ptx::sync_block();
  if (threadIdx.x == 63) {
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, -2}}, r.full_at(0));  // <zeroes.load>
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
  }
  ptx::sync_warp();
  if (How == Zeroes::in_flight && threadIdx.x >= 32) r.tile[0][threadIdx.x] = 0;  // <zeroes.while>
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[threadIdx.x] = r.tile[0][threadIdx.x];
}

FAULT(zero_unfenced, "a load into what threads have set to zero, without a proxy fence",
      .run = run<zero_and_load<Zeroes::unfenced>, zero_and_load<Zeroes::right>>, .kind = Kind::unfenced_reuse,
      .says  = {"the load of tile 0 of stage 0 that thread 63 issues", "thread 0",
                "has written it before, and no proxy fence lies between"},
      .lines = {"zeroes.before", "zeroes.load"})

FAULT(zero_unmet, "a load into what other threads may still be setting to zero",
      .run = run<zero_and_load<Zeroes::unmet>, zero_and_load<Zeroes::right>>, .kind = Kind::early_reuse,
      .says  = {"the load of tile 0 of stage 0 that thread 63 issues", "thread 0", "may still be writing it"},
      .lines = {"zeroes.before", "zeroes.load"})

FAULT(zero_in_flight, "threads write into a tile that a load is filling",
      .run = run<zero_and_load<Zeroes::in_flight>, zero_and_load<Zeroes::right>>, .kind = Kind::unwaited_load,
      .says  = {"writes tile 0 of stage 0", "the load that fills it", "completes on full[0] phase 0", "has not waited for"},
      .lines = {"zeroes.while", "zeroes.load"})

namespace read_after_release {
using Pipe = tma::Pipeline<2, Tile>;
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(
      5, [&](auto load, int i) { load(from, {i * 4, 0}); },  // <read_after_release.load>
      [&](const Tile& tile, int i, auto& stage) {
        int value = Faulty ? 0 : tile[threadIdx.x];
        stage.release();
        if (Faulty) value = tile[threadIdx.x];  // <read_after_release.read>
        out[i * 64 + threadIdx.x] = value;
      });
}
}  // namespace read_after_release

FAULT(read_after_release, "a stage is read after its release",
      .run = run<read_after_release::kernel<true>, read_after_release::kernel<false>>, .kind = Kind::early_reuse,
      .says  = {"the load of tile 0 of stage 0 that thread 0 issues", "may still be reading it", "has not released it"},
      .lines = {"read_after_release.load", "read_after_release.read"})

// The tile of the step before is looked at once more, as a stencil does.
namespace step_before {
using Pipe = tma::Pipeline<2, Tile>;
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  Pipe        pipe(tma::shared<Pipe::Shared>());
  const Tile* before = nullptr;
  int         kept   = 0;
  pipe.for_each(
      5, [&](auto load, int i) { load(from, {i * 4, 0}); },  // <step_before.load>
      [&](const Tile& tile, int i) {
        const int last            = Faulty ? (before ? (*before)[threadIdx.x] : 0) : kept;  // <step_before.read>
        kept                      = tile[threadIdx.x];
        before                    = &tile;
        out[i * 64 + threadIdx.x] = kept - last;
      });
}
}  // namespace step_before

FAULT(step_before, "the tile of the step before is read through a pointer that was kept",
      .run = run<step_before::kernel<true>, step_before::kernel<false>>, .kind = Kind::unwaited_load,
      .says  = {"reads tile 0 of stage 0", "completes on full[0] phase 1", "has not waited for"},
      .lines = {"step_before.load", "step_before.read"})

}  // namespace
