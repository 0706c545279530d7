// Faults with asynchronous stores, and with what is rarer of barriers: states, drops, limits, relaxed orders, cp.async.
#include <cuda_pipeline_primitives.h>

#include "faults_cluster.hpp"

using namespace faults;
using tma::Order;
using tma::Scope;

namespace {

// --- from registers into another block -----------------------------------------------------------------------------

// Every thread of block 1 stores one value into tile 0 of block 0.
#define STORE_ASYNC(r, value) \
  ptx::store_async<1>(ptx::map_shared((r).tile_at(0) + 4 * threadIdx.x, 0), {u32(value)}, ptx::map_shared((r).full_at(0), 0))
inline constexpr u32 stored_bytes = 64 * sizeof(int);

namespace unwaited_store {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r = cluster_ring<1>();
  if (ptx::cluster_rank() == 1) {
    STORE_ASYNC(r, threadIdx.x);  // <unwaited_store.store>
  } else {
    if (threadIdx.x == 0) ptx::mbarrier_arrive_expect_tx(r.full_at(0), stored_bytes);
    if (!Faulty || threadIdx.x == 0) AWAIT(r.full_at(0), 0)
    out[threadIdx.x] = r.tile[0][63 - threadIdx.x];  // <unwaited_store.read>
  }
  MEET_CLUSTER();
}
}  // namespace unwaited_store

FAULT(unwaited_store, "what another block stores asynchronously is read by threads that have not waited",
      .run = run<unwaited_store::kernel<true>, unwaited_store::kernel<false>, 64, 2, 2>, .kind = Kind::unwaited_load,
      .says  = {"the asynchronous store that fills it", "completes on full[0] of block 0 phase 0"},
      .lines = {"unwaited_store.store", "unwaited_store.read"}, .within = 3)

namespace stored_too_soon {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r = cluster_ring<1>(64);
  if (ptx::cluster_rank() == 1) {
    if (!Faulty) AWAIT(r.empty_at(0), 0)
    STORE_ASYNC(r, threadIdx.x);  // <stored_too_soon.store>
  } else {
    r.tile[0][threadIdx.x] = 7;
    __syncthreads();
    out[threadIdx.x] = r.tile[0][63 - threadIdx.x];
    ARRIVE_AT(r.empty_at(0), 1);
    if (threadIdx.x == 0) ptx::mbarrier_arrive_expect_tx(r.full_at(0), stored_bytes);
    AWAIT(r.full_at(0), 0)
  }
  MEET_CLUSTER();
}
}  // namespace stored_too_soon

FAULT(stored_too_soon, "an asynchronous store into what the other block still uses",
      .run = run<stored_too_soon::kernel<true>, stored_too_soon::kernel<false>, 64, 2, 2>, .kind = Kind::early_reuse,
      .says = {"the asynchronous store of tile 0 of stage 0 of block 0", "of block 0"}, .lines = {"stored_too_soon.store"},
      .within = 3)

namespace added_to_nothing {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r = cluster_ring<1>();
  if (ptx::cluster_rank() == 0 && !Faulty) r.tile[0][threadIdx.x] = 0;
  MEET_CLUSTER();
  const u32 to = ptx::map_shared(r.tile_at(0) + 4 * threadIdx.x, 0), full = ptx::map_shared(r.full_at(0), 0);
  if (ptx::cluster_rank() > 0) {
    ptx::reduce_async<tma::Reduction::add, tma::ElementType::u32>(to, u32(threadIdx.x), full);  // <added_to_nothing.add>
  } else {
    if (threadIdx.x == 0) ptx::mbarrier_arrive_expect_tx(r.full_at(0), 2 * stored_bytes);
    AWAIT(r.full_at(0), 0)
    out[threadIdx.x] = r.tile[0][63 - threadIdx.x];
  }
  MEET_CLUSTER();
}
}  // namespace added_to_nothing

FAULT(added_to_nothing, "two blocks add to what nobody has written",
      .run = run<added_to_nothing::kernel<true>, added_to_nothing::kernel<false>, 64, 3, 3>, .kind = Kind::uninitialised,
      .says  = {"an asynchronous store that", "adds to tile 0 of stage 0", "of block 0, which nobody has written"},
      .lines = {"added_to_nothing.add"})

// PTX leaves undefined what st.async and red.async do with the block that issues them.
enum class ToItself { none, stores, adds };

template <ToItself What> __global__ void to_itself(int* out) {
  auto& r                = cluster_ring<1>();
  r.tile[0][threadIdx.x] = 0;
  MEET_CLUSTER();
  const u32 rank = What == ToItself::none ? 1 - ptx::cluster_rank() : ptx::cluster_rank();
  const u32 to = ptx::map_shared(r.tile_at(0) + 4 * threadIdx.x, rank), full = ptx::map_shared(r.full_at(0), rank);
  if (What == ToItself::adds) {
    ptx::reduce_async<tma::Reduction::add, tma::ElementType::u32>(to, 1u, full);  // <to_itself.add>
  } else {
    ptx::store_async<1>(to, {1u}, full);  // <to_itself.store>
  }
  if (threadIdx.x == 0) ptx::mbarrier_arrive_expect_tx(r.full_at(0), stored_bytes);
  AWAIT(r.full_at(0), 0)
  out[ptx::cluster_rank() * 64 + threadIdx.x] = r.tile[0][63 - threadIdx.x];
  MEET_CLUSTER();
}

FAULT(stored_to_itself, "a block stores asynchronously into its own shared memory",
      .run = run<to_itself<ToItself::stores>, to_itself<ToItself::none>, 64, 2, 2>, .kind = Kind::undefined_copy,
      .says  = {"an asynchronous store, destination block = ", "must be in another block of the cluster", "Fix: "},
      .lines = {"to_itself.store"})

FAULT(added_to_itself, "a block adds asynchronously to its own shared memory",
      .run = run<to_itself<ToItself::adds>, to_itself<ToItself::none>, 64, 2, 2>, .kind = Kind::undefined_copy,
      .says = {"must be in another block of the cluster"}, .lines = {"to_itself.add"})

namespace store_unexpected {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r = cluster_ring<1>();
  if (ptx::cluster_rank() == 1) {
    STORE_ASYNC(r, threadIdx.x);  // <store_unexpected.store>
  } else {
    if (threadIdx.x == 0) ptx::mbarrier_arrive_expect_tx(r.full_at(0), Faulty ? 64 : stored_bytes);
    AWAIT(r.full_at(0), 0)
    out[threadIdx.x] = r.tile[0][63 - threadIdx.x];
  }
  MEET_CLUSTER();
}
}  // namespace store_unexpected

FAULT(store_unexpected, "armed for one byte of each of another block's stores",
      .run = run<store_unexpected::kernel<true>, store_unexpected::kernel<false>, 64, 2, 2>, .kind = Kind::bytes_short,
      .says = {"full[0] of block 0", "armed 64 bytes"}, .lines = {"store_unexpected.store"}, .within = 3)

// --- states --------------------------------------------------------------------------------------------------------

// The state of the first phase is asked for after the second has completed.
namespace old_state {
template <bool Faulty> __global__ void kernel() {
  auto& r     = ring<1>(64);
  u64   state = ptx::mbarrier_arrive_state<Order::ordered, Scope::block>(r.empty_at(0), 1);
  for (int i = 0; i < 2; ++i) {
    while (!ptx::mbarrier_try_wait_state<Order::ordered, Scope::block>(r.empty_at(0), state)) {}  // <old_state.wait>
    const u64 next = ptx::mbarrier_arrive_state<Order::ordered, Scope::block>(r.empty_at(0), 1);
    if (!Faulty) state = next;
    __syncthreads();
  }
}
}  // namespace old_state

FAULT(old_state, "a wait with the state of a phase long over", .run = run<old_state::kernel<true>, old_state::kernel<false>>,
      .kind  = Kind::phase_missed,
      .says  = {"waits for phase 0 of empty[0], which is in phase 2 already: its state means another phase"},
      .lines = {"old_state.wait"})

namespace last_without {
template <bool Faulty> __global__ void kernel() {
  auto& r = ring<1>(Faulty ? 64 : 65);
  ptx::mbarrier_arrive_no_complete(r.empty_at(0), 1);  // <last_without.arrive>
  __syncthreads();
  if (!Faulty && threadIdx.x == 0) ptx::mbarrier_arrive(r.empty_at(0));
  while (!ptx::mbarrier_try_wait(r.empty_at(0), 0)) {}
}
}  // namespace last_without

FAULT(last_without, "the last arrival is one that completes nothing",
      .run = run<last_without::kernel<true>, last_without::kernel<false>>, .kind = Kind::arrivals_over,
      .says = {"arrives at empty[0] in phase 0 without completing it, and is the last"}, .lines = {"last_without.arrive"})

namespace drops_and_stays {
template <bool Faulty> __global__ void kernel() {
  auto& r = ring<1>(64);
  for (u32 i = 0; i < 2; ++i) {
    const bool leaves = threadIdx.x >= 32;
    if (leaves && (Faulty || i == 0)) ptx::mbarrier_arrive_drop<Order::ordered, Scope::block>(r.empty_at(0), 1);
    if (!leaves) ptx::mbarrier_arrive(r.empty_at(0));
    if (leaves && i == 1) break;
    while (!ptx::mbarrier_try_wait(r.empty_at(0), i)) {}  // <drops_and_stays.wait>
    __syncthreads();
  }
}
}  // namespace drops_and_stays

FAULT(drops_and_stays, "threads leave a barrier twice",
      .run = run<drops_and_stays::kernel<true>, drops_and_stays::kernel<false>>, .kind = Kind::phase_unordered,
      .says = {"waits for phase 1 of empty[0]"}, .lines = {"drops_and_stays.wait"}, .within = 3)

// --- waits that may give up ------------------------------------------------------------------------------------------

namespace tries_once {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));  // <tries_once.load>
  }
  __syncthreads();
  bool done = ptx::mbarrier_try_wait(r.full_at(0), 0);
  while (!Faulty && !done) done = ptx::mbarrier_try_wait(r.full_at(0), 0);
  out[threadIdx.x] = r.tile[0][threadIdx.x];  // <tries_once.read>
  __syncthreads();
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
}
}  // namespace tries_once

FAULT(tries_once, "the answer of try_wait is not looked at", .run = run<tries_once::kernel<true>, tries_once::kernel<false>>,
      .kind = Kind::unwaited_load, .says = {"tile 0 of stage 0", "completes on full[0] phase 0"},
      .lines = {"tries_once.load", "tries_once.read"}, .within = 20)

namespace limit_is_over {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<1>();
  if (threadIdx.x == 0) {
    ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
    ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));
  }
  while (!ptx::mbarrier_try_wait_for<Order::ordered, Scope::block>(r.full_at(0), 0, 1000000))
    if (Faulty) break;
  out[threadIdx.x] = r.tile[0][threadIdx.x];  // <limit_is_over.read>
  __syncthreads();
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
}
}  // namespace limit_is_over

FAULT(limit_is_over, "a wait that gave up is taken for one that succeeded",
      .run = run<limit_is_over::kernel<true>, limit_is_over::kernel<false>>, .kind = Kind::unwaited_load,
      .says = {"tile 0 of stage 0", "completes on full[0] phase 0"}, .lines = {"limit_is_over.read"})

// --- relaxed -------------------------------------------------------------------------------------------------------

// The twin orders by fences.
namespace relaxed_both {
template <bool Faulty> __global__ void kernel(int* out) {
  auto& r                = ring<1>(64);
  r.tile[0][threadIdx.x] = int(threadIdx.x);  // <relaxed_both.write>
  if (!Faulty) __threadfence_block();
  ptx::mbarrier_arrive<Order::relaxed, Scope::block>(r.empty_at(0));
  while (!ptx::mbarrier_try_wait<Order::relaxed, Scope::block>(r.empty_at(0), 0)) {}
  if (!Faulty) __threadfence_block();
  out[threadIdx.x] = r.tile[0][63 - threadIdx.x];  // <relaxed_both.read>
}
}  // namespace relaxed_both

FAULT(relaxed_both, "a relaxed arrival and a relaxed wait, without fences",
      .run = run<relaxed_both::kernel<true>, relaxed_both::kernel<false>>, .kind = Kind::data_race,
      .says = {"tile 0 of stage 0", "in a way that orders no memory"}, .lines = {"relaxed_both.write", "relaxed_both.read"})

// --- cp.async ------------------------------------------------------------------------------------------------------

namespace plain_arrival {
template <bool Faulty> __global__ void kernel(const int* in, int* out) {
  auto& r = ring<1>(64);
  __pipeline_memcpy_async(&r.tile[0][threadIdx.x], in + threadIdx.x, 4);  // <plain_arrival.copy>
  if (Faulty) ptx::mbarrier_arrive(r.empty_at(0));
  else ptx::cp_async_mbarrier_arrive_noinc(r.empty_at(0));
  while (!ptx::mbarrier_try_wait(r.empty_at(0), 0)) {}
  out[threadIdx.x] = r.tile[0][63 - threadIdx.x];  // <plain_arrival.read>
}
}  // namespace plain_arrival

FAULT(plain_arrival, "a thread arrives before its copies by cp.async are done",
      .run = run<plain_arrival::kernel<true>, plain_arrival::kernel<false>>, .kind = Kind::unwaited_cp_async,
      .says = {"tile 0 of stage 0"}, .lines = {"plain_arrival.copy", "plain_arrival.read"})

}  // namespace
