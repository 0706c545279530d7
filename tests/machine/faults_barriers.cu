// Faults of barriers as places in shared memory: initialising them, and data over them.
#include "faults.hpp"

using namespace faults;

namespace {

// --- initialising --------------------------------------------------------------------------------------------------

namespace never_initialised {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = tma::shared<Ring<2>>();
  r.describe();
  if (threadIdx.x == 0) {
    for (int s = 0; s < (Faulty ? 1 : 2); ++s) ptx::mbarrier_init(r.full_at(s), 1);
    ptx::fence_mbarrier_init();
  }
  ptx::sync_block();
  for (int s = 0; s < 2; ++s) {
    if (threadIdx.x == 0) {
      ptx::mbarrier_arrive_expect_tx(r.full_at(s), tile_bytes);  // <never_initialised.arm>
      ptx::tensor_load<2>(r.tile_at(s), tma::tensor_map(from), {{0, s * 4}}, r.full_at(s));
    }
    while (!ptx::mbarrier_try_wait(r.full_at(s), 0)) {}
    out[s * 64 + threadIdx.x] = r.tile[s][threadIdx.x];
  }
}
}  // namespace never_initialised

FAULT(never_initialised, "one stage more than barriers were initialised",
      .run = run<never_initialised::kernel<true>, never_initialised::kernel<false>>, .kind = Kind::barrier_uninitialised,
      .says = {"thread 0 arrives at full[1], which nobody has initialised"}, .lines = {"never_initialised.arm"})

namespace not_met_since {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = tma::shared<Ring<1>>();
  r.describe();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(r.full_at(0), 1);  // <not_met_since.init>
    ptx::fence_mbarrier_init();
  }
  if (!Faulty) ptx::sync_block();
  if (threadIdx.x == 0) {
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}  // <not_met_since.wait>
  out[threadIdx.x] = r.tile[0][threadIdx.x];
}
}  // namespace not_met_since

FAULT(not_met_since, "a barrier is used by threads that have not met the one that initialises it",
      .run = run<not_met_since::kernel<true>, not_met_since::kernel<false>>, .kind = Kind::barrier_uninitialised,
      .says  = {"thread 1 waits for full[0]", "thread 0 did that", "they have not met since"},
      .lines = {"not_met_since.wait", "not_met_since.init"})

namespace not_fenced {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = tma::shared<Ring<1>>();
  r.describe();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(r.full_at(0), 1);  // <not_fenced.init>
    if (!Faulty) ptx::fence_mbarrier_init();
  }
  ptx::sync_block();
  if (threadIdx.x == 0) {
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));  // <not_fenced.load>
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[threadIdx.x] = r.tile[0][threadIdx.x];
}
}  // namespace not_fenced

FAULT(not_fenced, "the initialisation of a barrier is not fenced for the engine",
      .run = run<not_fenced::kernel<true>, not_fenced::kernel<false>>, .kind = Kind::barrier_uninitialised,
      .says = {"thread 0 issues a load on full[0]", "no fence"}, .lines = {"not_fenced.load", "not_fenced.init"})

namespace initialised_by_all {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = tma::shared<Ring<1>>();
  r.describe();
  if (Faulty ? threadIdx.x < 32 : threadIdx.x == 0) ptx::mbarrier_init(r.full_at(0), 1);  // <initialised_by_all.init>
  ptx::fence_mbarrier_init();
  ptx::sync_block();
  if (threadIdx.x == 0) {
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[threadIdx.x] = r.tile[0][threadIdx.x];
}
}  // namespace initialised_by_all

FAULT(initialised_by_all, "a whole warp initialises a barrier",
      .run   = run<initialised_by_all::kernel<true>, initialised_by_all::kernel<false>>,
      .kind  = Kind::barrier_initialised_twice,
      .says  = {"thread 1 initialises full[0], which is live since thread 0 initialised it"},
      .lines = {"initialised_by_all.init"})

// A barrier may be initialised again once it is invalidated; its phases then start anew.
namespace initialised_each_time {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = tma::shared<Ring<1>>();
  r.describe();
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.x == 0) {
      ptx::mbarrier_init(r.full_at(0), 1);  // <initialised_each_time.init>
      ptx::fence_mbarrier_init();
    }
    ptx::sync_block();
    ptx::fence_proxy_async_shared();
    if (threadIdx.x == 0) {
      ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, i * 4}}, r.full_at(0));
      ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
    }
    while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
    ptx::sync_block();
    if (threadIdx.x == 32) ptx::mbarrier_arrive(r.full_at(0));
    while (!ptx::mbarrier_try_wait(r.full_at(0), 1)) {}
    out[i * 64 + threadIdx.x] = r.tile[0][threadIdx.x];
    ptx::sync_block();
    if (!Faulty && threadIdx.x == 0) ptx::mbarrier_inval(r.full_at(0));
  }
}
}  // namespace initialised_each_time

FAULT(initialised_each_time, "a loop over tiles initialises its barrier in every step",
      .run   = run<initialised_each_time::kernel<true>, initialised_each_time::kernel<false>>,
      .kind  = Kind::barrier_initialised_twice,
      .says  = {"thread 0 initialises full[0], which is live since thread 0 initialised it"},
      .lines = {"initialised_each_time.init"})

// Two pipelines in one place, because each loop had its own.
namespace two_pipelines {
using Pipe = tma::Pipeline<2, Tile>;
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto&      shared = tma::shared<Pipe::Shared>();
  Pipe       pipe(shared);
  int        sum   = 0;
  const auto issue = [&](auto load, int i) { load(from, {i * 4, 0}); };
  const auto use   = [&](const Tile& tile, int) { sum += tile[threadIdx.x]; };
  pipe.for_each(3, issue, use);
  if (Faulty) {
    Pipe again(shared);  // <two_pipelines.again>
    again.for_each(3, issue, use);
  } else {
    pipe.for_each(3, issue, use);
  }
  out[threadIdx.x] = sum;
}
}  // namespace two_pipelines

FAULT(two_pipelines, "a second pipeline in the place of the first",
      .run = run<two_pipelines::kernel<true>, two_pipelines::kernel<false>>, .kind = Kind::barrier_initialised_twice,
      .says = {"thread 0 initialises full[0], which is live since thread 0"}, .lines = {"two_pipelines.again"})

namespace invalidated_too_soon {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (threadIdx.x == 0) {
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
  }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}  // <invalidated_too_soon.wait>
  out[threadIdx.x] = r.tile[0][threadIdx.x];
  if (!Faulty) ptx::sync_block();
  if (threadIdx.x == 0) ptx::mbarrier_inval(r.full_at(0));
}
}  // namespace invalidated_too_soon

FAULT(invalidated_too_soon, "a barrier is invalidated while others may still wait for it",
      .run  = run<invalidated_too_soon::kernel<true>, invalidated_too_soon::kernel<false>>,
      .kind = Kind::barrier_uninitialised, .says = {"waits for full[0]"}, .lines = {"invalidated_too_soon.wait"},
      .within = 100)

namespace barrier_misaligned {
template <bool Faulty> __global__ void kernel(int* out) {
  struct Shared {
    alignas(8) int words[4];
  };
  auto&     s       = tma::shared<Shared>();
  const u32 barrier = ptx::shared_address(&s.words[Faulty ? 1 : 2]);
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(barrier, 1);  // <barrier_misaligned.init>
    ptx::fence_mbarrier_init();
  }
  ptx::sync_block();
  if (threadIdx.x == 0) ptx::mbarrier_arrive(barrier);
  while (!ptx::mbarrier_try_wait(barrier, 0)) {}
  out[threadIdx.x] = 1;
}
}  // namespace barrier_misaligned

FAULT(barrier_misaligned, "a barrier follows an int",
      .run = run<barrier_misaligned::kernel<true>, barrier_misaligned::kernel<false>>, .kind = Kind::misaligned_address,
      .says = {"thread 0 initialises a barrier", "no multiple of 8"}, .lines = {"barrier_misaligned.init"})

// --- data over a barrier -------------------------------------------------------------------------------------------

// Shared memory carved by hand; the sum of the sizes is eight bytes short.
namespace over_a_barrier {
template <bool Faulty, bool Engine> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  struct Shared {
    alignas(128) unsigned char bytes[tile_bytes + 8];
  };
  auto&     s    = tma::shared<Shared>();
  int*      data = reinterpret_cast<int*>(s.bytes);
  auto*     full = s.bytes + (Faulty ? tile_bytes - 8 : tile_bytes);
  const u32 at   = ptx::shared_address(full);
  ptx::describe(full, 8, "full[%d]", 0);
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(at, 1);
    ptx::fence_mbarrier_init();
  }
  ptx::sync_block();
  if (Engine) {
    if (threadIdx.x == 0) {
      ptx::tensor_load<2>(ptx::shared_address(s.bytes), tma::tensor_map(from), {{0, 0}}, at);  // <over_a_barrier.load>
      ptx::mbarrier_arrive_expect_tx(at, tile_bytes);
    }
    while (!ptx::mbarrier_try_wait(at, 0)) {}
  } else {
    for (int i = threadIdx.x; i < Tile::size; i += 64) data[i] = i;  // <over_a_barrier.write>
    ptx::sync_block();
  }
  out[threadIdx.x] = data[threadIdx.x];
}
}  // namespace over_a_barrier

FAULT(written_over_a_barrier, "a thread writes over a live barrier",
      .run  = run<over_a_barrier::kernel<true, false>, over_a_barrier::kernel<false, false>>,
      .kind = Kind::barrier_overwritten, .says = {"thread 62 writes the bytes of a live barrier, full[0]"},
      .lines = {"over_a_barrier.write"})

FAULT(loaded_over_a_barrier, "a load overwrites the barrier that it completes on",
      .run = run<over_a_barrier::kernel<true, true>, over_a_barrier::kernel<false, true>>, .kind = Kind::barrier_overwritten,
      .says = {"a load that thread 0 issues overwrites a live barrier, full[0]"}, .lines = {"over_a_barrier.load"})

namespace looks_at_a_barrier {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (threadIdx.x == 0) {
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
  }
  const u64 before = Faulty ? r.full[0] : 0;  // <looks_at_a_barrier.read>
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[threadIdx.x] = r.tile[0][threadIdx.x] + int(before);
}
}  // namespace looks_at_a_barrier

FAULT(looks_at_a_barrier, "a barrier is read as a number",
      .run = run<looks_at_a_barrier::kernel<true>, looks_at_a_barrier::kernel<false>>, .kind = Kind::barrier_overwritten,
      .says = {"thread 0 reads the bytes of a live barrier, full[0]"}, .lines = {"looks_at_a_barrier.read"})

}  // namespace
