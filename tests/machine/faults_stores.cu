// Faults of stores: what their source needs before, and who may touch source and destination after.
#include "faults.hpp"

#include <tma/device/cluster.hpp>
#include <tma/device/global_fence.hpp>

using namespace faults;

namespace {

// --- before the store ----------------------------------------------------------------------------------------------

// Each thread writes, and the last one stores.
enum class Publishes { right, unfenced, fenced_after, unmet, part };

template <Publishes How> __global__ void publish(const __grid_constant__ Out to) {
  auto& r = ring<1>();
  for (int i = threadIdx.x; i < Tile::size / (How == Publishes::part ? 2 : 1); i += 64) r.tile[0][i] = i;  // <publish.write>
  if (How != Publishes::unfenced && How != Publishes::fenced_after) ptx::fence_proxy_async_shared();
  if (How != Publishes::unmet) ptx::sync_block();
  if (threadIdx.x == 63) {
    if (How == Publishes::fenced_after) ptx::fence_proxy_async_shared();
    ptx::tensor_store<2>(tma::tensor_map(to), {{0, 0}}, r.tile_at(0));  // <publish.store>
    ptx::bulk_commit_group();
    ptx::bulk_wait_group_read<0>();
  }
}

FAULT(unfenced, "what threads wrote is stored without a proxy fence",
      .run = run<publish<Publishes::unfenced>, publish<Publishes::right>>, .kind = Kind::unfenced_store,
      .says  = {"the store of tile 0 of stage 0 that thread 63 issues", "thread 0", "did not fence before they met"},
      .lines = {"publish.write", "publish.store"})

FAULT(fenced_after, "the proxy fence stands after the meeting, in the thread that stores",
      .run = run<publish<Publishes::fenced_after>, publish<Publishes::right>>, .kind = Kind::unfenced_store,
      .says  = {"the store of tile 0 of stage 0 that thread 63 issues", "thread 0", "on the wrong side of the meeting"},
      .lines = {"publish.write", "publish.store"})

FAULT(unmet, "each thread fences, and the one that stores does not wait for them",
      .run = run<publish<Publishes::unmet>, publish<Publishes::right>>, .kind = Kind::unordered_store,
      .says  = {"the store of tile 0 of stage 0 that thread 63 issues", "thread 0", "may still be writing it",
                "nothing orders that"},
      .lines = {"publish.write", "publish.store"})

FAULT(written_in_part, "a store of a tile that is written in part",
      .run = run<publish<Publishes::part>, publish<Publishes::right>>, .kind = Kind::uninitialised,
      .says  = {"a store that thread 63 issues reads tile 0 of stage 0 + 256, which nobody has written"},
      .lines = {"publish.store"})

namespace written_after_publish {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Out to) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  for (auto& x : block.elements(tile)) x = 1;
  if (!Faulty && block.rank() == 0) tile[0] = 2;
  auto ready = block.publish(tile);
  if (Faulty && block.rank() == 0) tile[0] = 2;                      // <written_after_publish.write>
  if (auto issuer = block.elect()) issuer.store(to, {0, 0}, ready);  // <written_after_publish.store>
}
}  // namespace written_after_publish

FAULT(written_after_publish, "a tile is changed after it was published",
      .run = run<written_after_publish::kernel<true>, written_after_publish::kernel<false>>, .kind = Kind::unfenced_store,
      .says  = {"the store of tma::Tile<int, tma::Shape<4, 32>", "that thread 0 issues", "thread 0", "wrote it"},
      .lines = {"written_after_publish.write", "written_after_publish.store"})

// A load brings a tile, threads change it, and it is stored as if they had not.
namespace changed_since {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, const __grid_constant__ Out to) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  ptx::describe(&s.tile, sizeof s.tile, "tile");
  if (auto issuer = block.elect()) issuer.load(from, {0, 0}, s.tile, arrived);
  arrived.wait();
  if (Faulty)
    for (auto& x : block.elements(s.tile)) x *= 2;  // <changed_since.write>
  block.sync();
  if (auto issuer = block.elect()) issuer.store(to, {0, 0}, tma::as_loaded(s.tile));  // <changed_since.store>
}
}  // namespace changed_since

FAULT(changed_since, "a tile is stored as loaded, and threads have changed it",
      .run = run<changed_since::kernel<true>, changed_since::kernel<false>>, .kind = Kind::unfenced_store,
      .says  = {"the store of tile that thread 0 issues", "did not fence before they met"},
      .lines = {"changed_since.write", "changed_since.store"})

// Two warps write, meet, and a third one stores.
namespace not_of_the_group {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Out to) {
  auto& r = ring<1>();
  if (threadIdx.x < 64) {
    for (int i = threadIdx.x; i < Tile::size; i += 64) r.tile[0][i] = i;  // <not_of_the_group.write>
    ptx::fence_proxy_async_shared();
  }
  if (threadIdx.x < 64 || !Faulty) ptx::sync_threads(1, Faulty ? 64 : 96);
  if (threadIdx.x == 64) {
    ptx::tensor_store<2>(tma::tensor_map(to), {{0, 0}}, r.tile_at(0));  // <not_of_the_group.store>
    ptx::bulk_commit_group();
    ptx::bulk_wait_group_read<0>();
  }
}
}  // namespace not_of_the_group

FAULT(not_of_the_group, "the thread that stores has not met those that wrote",
      .run = run<not_of_the_group::kernel<true>, not_of_the_group::kernel<false>, 96>, .kind = Kind::unordered_store,
      .says  = {"the store of tile 0 of stage 0 that thread 64 issues", "thread 0", "may still be writing it"},
      .lines = {"not_of_the_group.write", "not_of_the_group.store"})

namespace stored_unwaited {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, const __grid_constant__ Out to) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  ptx::describe(&s.tile, sizeof s.tile, "tile");
  ptx::describe(&s.barrier, sizeof s.barrier, "barrier");
  if (auto issuer = block.elect()) {
    issuer.load(from, {0, 0}, s.tile, arrived);  // <stored_unwaited.load>
    if (!Faulty) arrived.wait();
    issuer.store(to, {0, 0}, tma::as_loaded(s.tile));  // <stored_unwaited.store>
    if (Faulty) arrived.wait();
  }
}
}  // namespace stored_unwaited

FAULT(stored_unwaited, "a store of what a load has yet to bring",
      .run = run<stored_unwaited::kernel<true>, stored_unwaited::kernel<false>>, .kind = Kind::store_of_unwaited_load,
      .says  = {"the store of tile that thread 0 issues", "a load of thread 0", "the issuer has not waited for that",
                "completes on barrier phase 0"},
      .lines = {"stored_unwaited.load", "stored_unwaited.store"})

// The sums of a range that may be empty; what sets them to zero stands in the loop.
namespace zero_trips {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Out to, const int* in) {
  const int steps = blockIdx.x == 0 ? 2 : 0;
  auto&     tile  = tma::shared<Tile>();
  auto      block = tma::this_block();
  if (!Faulty)
    for (auto& x : block.elements(tile)) x = 0;
  for (int i = 0; i < steps; ++i)
    for (int k = block.rank(); k < Tile::size; k += block.size()) tile[k] = (i > 0 ? tile[k] : 0) + in[i * Tile::size + k];
  auto ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(to, {int(blockIdx.x) * 4, 0}, ready);  // <zero_trips.store>
}
}  // namespace zero_trips

FAULT(zero_trips, "a block without steps stores sums that the loop would have set to zero",
      .run = run<zero_trips::kernel<true>, zero_trips::kernel<false>, 64, 2>, .kind = Kind::uninitialised,
      .says = {"a store that thread 0 of block 1 issues reads tma::Tile<int, tma::Shape<4, 32>", "which nobody has written"},
      .lines = {"zero_trips.store"})

// --- the source after the store ------------------------------------------------------------------------------------

namespace one_too_few {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Out to) {
  auto&           tile   = tma::shared<Tile>();
  auto            block  = tma::this_block();
  auto            issuer = block.elect();
  tma::StoreGroup stores(issuer);
  for (int i = 0; i < 3; ++i) {
    stores.wait_source_free<Faulty ? 1 : 0>();
    block.sync();
    for (auto& x : block.elements(tile)) x = i;  // <one_too_few.write>
    auto ready = block.publish(tile);
    stores.store(to, {i * 4, 0}, ready);  // <one_too_few.store>
  }
}
}  // namespace one_too_few

FAULT(one_too_few, "the wait leaves one store in flight, and there is one tile",
      .run = run<one_too_few::kernel<true>, one_too_few::kernel<false>>, .kind = Kind::overwritten_source,
      .says  = {"writes tma::Tile<int, tma::Shape<4, 32>", "the store of thread 0 that reads it", "may not have read it yet",
                "no wait_source_free"},
      .lines = {"one_too_few.write", "one_too_few.store"})

// One tile, stored and written again.
enum class Rewrites { right, at_once, unmet, another_waits, loads };

template <Rewrites How> __global__ void rewrite(const __grid_constant__ Map from, const __grid_constant__ Out to) {
  auto& r = ring<1>();
  for (int i = threadIdx.x; i < Tile::size; i += 64) r.tile[0][i] = i;
  ptx::fence_proxy_async_shared();
  ptx::sync_block();
  if (threadIdx.x == 0) {
    ptx::tensor_store<2>(tma::tensor_map(to), {{0, 0}}, r.tile_at(0));  // <rewrite.store>
    ptx::bulk_commit_group();
  }
  if (threadIdx.x == (How == Rewrites::another_waits ? 32 : 0) && How != Rewrites::at_once && How != Rewrites::loads)
    ptx::bulk_wait_group_read<0>();
  if (How != Rewrites::unmet) ptx::sync_block();
  if (How == Rewrites::loads) {
    if (threadIdx.x == 0) {
      ptx::tensor_load<2>(r.tile_at(0), tma::tensor_map(from), {{0, 0}}, r.full_at(0));  // <rewrite.load>
      ptx::mbarrier_arrive_expect_tx(r.full_at(0), tile_bytes);
    }
    while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  } else {
    r.tile[0][threadIdx.x] = 7;  // <rewrite.write>
  }
  if (threadIdx.x == 0) ptx::bulk_wait_group_read<0>();
}

FAULT(rewritten_at_once, "the source of a store is written without any wait",
      .run = run<rewrite<Rewrites::at_once>, rewrite<Rewrites::right>>, .kind = Kind::overwritten_source,
      .says  = {"writes tile 0 of stage 0", "the store of thread 0 that reads it", "may not have read it yet"},
      .lines = {"rewrite.write", "rewrite.store"})

FAULT(rewritten_unmet, "the issuer waits for the source, and the others do not wait for the issuer",
      .run = run<rewrite<Rewrites::unmet>, rewrite<Rewrites::right>>, .kind = Kind::overwritten_source,
      .says  = {"thread 1 writes tile 0 of stage 0 + 4", "the store of thread 0 that reads it", "no meeting after it"},
      .lines = {"rewrite.write", "rewrite.store"})

FAULT(another_waits, "the wait for the source stands in a thread that has stored nothing",
      .run = run<rewrite<Rewrites::another_waits>, rewrite<Rewrites::right>>, .kind = Kind::overwritten_source,
      .says  = {"writes tile 0 of stage 0", "the store of thread 0 that reads it", "no wait_source_free of that thread"},
      .lines = {"rewrite.write", "rewrite.store"})

FAULT(loaded_over_a_source, "a load into the source of a store",
      .run = run<rewrite<Rewrites::loads>, rewrite<Rewrites::right>>, .kind = Kind::overwritten_source,
      .says  = {"the load of tile 0 of stage 0 that thread 0 issues", "a store of thread 0", "may still be reading it"},
      .lines = {"rewrite.load", "rewrite.store"})

// --- the end of a block --------------------------------------------------------------------------------------------

enum class Ends { right, uncommitted, unwaited };

template <Ends How> __global__ void end(const __grid_constant__ Out to) {
  auto& r = ring<1>();
  for (int i = threadIdx.x; i < Tile::size; i += 64) r.tile[0][i] = i;
  ptx::fence_proxy_async_shared();
  ptx::sync_block();
  if (threadIdx.x == 0) {
    ptx::tensor_store<2>(tma::tensor_map(to), {{0, 0}}, r.tile_at(0));  // <end.store>
    if (How != Ends::uncommitted) ptx::bulk_commit_group();
    if (How != Ends::unwaited) ptx::bulk_wait_group_read<0>();
  }
}

FAULT(uncommitted, "a store that no group is committed for", .run = run<end<Ends::uncommitted>, end<Ends::right>>,
      .kind = Kind::uncommitted_store, .says = {"thread 0 ends with", "no group was committed for"}, .lines = {"end.store"})

FAULT(exit_with_store, "a block ends with a store that still reads its shared memory",
      .run = run<end<Ends::unwaited>, end<Ends::right>>, .kind = Kind::exit_with_store,
      .says  = {"block 0 ends with a store that may still read tile 0 of stage 0", "thread 0", "wait_source_free"},
      .lines = {"end.store"})

namespace exit_with_load {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  auto& r = ring<2>();
  if (threadIdx.x == 0)
    for (int s = 0; s < 2; ++s) {
      ptx::tensor_load<2>(r.tile_at(s), tma::tensor_map(from), {{0, s * 4}}, r.full_at(s));  // <exit_with_load.load>
      ptx::mbarrier_arrive_expect_tx(r.full_at(s), tile_bytes);
    }
  while (!ptx::mbarrier_try_wait(r.full_at(0), 0)) {}
  out[threadIdx.x] = r.tile[0][threadIdx.x];
  if (!Faulty)
    while (!ptx::mbarrier_try_wait(r.full_at(1), 0)) {}
}
}  // namespace exit_with_load

FAULT(exit_with_load, "a block ends with a prefetch that it does not need",
      .run = run<exit_with_load::kernel<true>, exit_with_load::kernel<false>>, .kind = Kind::exit_with_load,
      .says  = {"block 0 ends with a load that thread 0 issued",
                "completes on full[1] phase 0, which no thread has waited for"},
      .lines = {"exit_with_load.load"})

// --- global memory -------------------------------------------------------------------------------------------------

// A tile is stored, and the destination is looked at by the same block.
enum class Visible { to_thread, to_thread_right, to_load, to_load_right };

template <Visible How> __global__ void store_then_use(const __grid_constant__ Out to, int* data) {
  struct Shared {
    Tile             tile, back;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  for (auto& x : block.elements(s.tile)) x = 5;
  auto ready = block.publish(s.tile);
  if (auto issuer = block.elect()) {
    auto stores = issuer.store(to, {0, 0}, ready);  // <visible.store>
    if (How == Visible::to_thread || How == Visible::to_load) stores.wait_source_free();
    else stores.wait_visible();
    if (How == Visible::to_load || How == Visible::to_load_right) {
      issuer.load(to, {0, 0}, s.back, arrived);  // <visible.load>
      arrived.wait();
    }
  }
  block.sync();
  if (How == Visible::to_thread || How == Visible::to_thread_right)
    data[512 + block.rank()] = data[block.rank()];  // <visible.read>
}

FAULT(invisible_to_threads, "the destination of a store is read when only its source is free",
      .run   = run<store_then_use<Visible::to_thread>, store_then_use<Visible::to_thread_right>>,
      .kind  = Kind::invisible_store,
      .says  = {"reads global memory", "the store of thread 0 that writes it",
                "wait_source_free says nothing of the destination"},
      .lines = {"visible.read", "visible.store"})

// A tile is stored by one block of a cluster and loaded by the other.
enum class Relay { right, fenced_by_the_writer, not_visible, not_fenced, fenced_too_early };

template <Relay How> __global__ void relay(const __grid_constant__ Out to, const __grid_constant__ Map from, int* data) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& s                 = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster<2>(s.barrier);
  auto& block             = cluster.block();
  if (cluster.rank() == 0) {
    for (auto& x : block.elements(s.tile)) x = 5;
    auto ready = block.publish(s.tile);
    if (auto issuer = block.elect()) {
      auto stores = issuer.store(to, {4, 0}, ready);  // <relay.store>
      if (How == Relay::not_visible) stores.wait_source_free();
      else stores.wait_visible();
      if (How == Relay::fenced_by_the_writer) tma::acquire_global();
    }
  } else if (How == Relay::fenced_too_early) {
    tma::acquire_global();
  }
  cluster.sync();
  if (cluster.rank() == 1) {
    if (auto issuer = block.elect()) {
      if (How == Relay::right || How == Relay::not_visible) tma::acquire_global();
      issuer.load(from, {4, 0}, s.tile, arrived);  // <relay.load>
    }
    arrived.wait();
    data[block.rank()] = s.tile[block.rank()];
  }
}

template <Relay How> void run_relay(bool faulty) {
  Data d;
  // Another tensor as the load's: what is loaded lies in what is stored.
  const Map from = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(d.out.get()), {rows, columns}});
  tma::launch(faulty ? relay<How> : relay<Relay::right>, {.grid = 2, .block = 64, .cluster = 2}, d.to, from, d.in.get());
  if (!faulty)
    tma::launch(relay<Relay::fenced_by_the_writer>, {.grid = 2, .block = 64, .cluster = 2}, d.to, from, d.in.get());
}

FAULT(relay_not_visible, "a block loads what another's engine may still be storing", .run = run_relay<Relay::not_visible>,
      .kind = Kind::invisible_store, .says = {"no wait_visible lies between"}, .lines = {"relay.load", "relay.store"})

FAULT(relay_not_fenced, "a block loads what another's engine has stored, without a proxy fence",
      .run = run_relay<Relay::not_fenced>, .kind = Kind::unfenced_global,
      .says = {"has written it for another block", "tma::acquire_global()"}, .lines = {"relay.load", "relay.store"})

FAULT(relay_fenced_too_early, "the proxy fence stands before the meeting, in the block that loads",
      .run = run_relay<Relay::fenced_too_early>, .kind = Kind::unfenced_global, .says = {"has written it for another block"},
      .lines = {"relay.load"})

FAULT(invisible_to_loads, "the destination of a store is loaded when only its source is free",
      .run = run<store_then_use<Visible::to_load>, store_then_use<Visible::to_load_right>>, .kind = Kind::invisible_store,
      .says  = {"the load of global memory that thread 0 issues", "a store of thread 0", "no wait_visible lies between"},
      .lines = {"visible.load", "visible.store"})

// Stores are not ordered with one another.
namespace two_stores {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Out to) {
  struct Shared {
    Tile tiles[2];
  };
  auto& s     = tma::shared<Shared>();
  auto  block = tma::this_block();
  for (auto& x : block.elements(s.tiles[0])) x = 1;
  for (auto& x : block.elements(s.tiles[1])) x = 2;
  const auto ready = block.publish(s.tiles);
  if (auto issuer = block.elect()) {
    tma::StoreGroup stores(issuer);
    stores.store(to, {0, 0}, ready[0]);
    if (!Faulty) stores.wait_visible();
    stores.store(to, {2, 0}, ready[1]);
  }
}
}  // namespace two_stores

FAULT(two_stores, "two stores to places that overlap", .run = run<two_stores::kernel<true>, two_stores::kernel<false>>,
      .kind   = Kind::nondeterministic,
      .says   = {"other bytes in device memory than the first one", "one that writes there is faults_stores.cu:"},
      .within = 100)

// The engine loads what threads have written to global memory: in the same launch, or in the next.
namespace unfenced_global {
__global__ void write(int* data) { data[threadIdx.x] = int(threadIdx.x); }

template <bool Faulty> __global__ void kernel(const __grid_constant__ Out data, int* written, int* out) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  if (Faulty)
    for (int i = block.rank(); i < Tile::size; i += block.size()) written[i] = i;  // <unfenced_global.write>
  block.sync();
  if (auto issuer = block.elect()) issuer.load(data, {0, 0}, s.tile, arrived);  // <unfenced_global.load>
  arrived.wait();
  out[512 + block.rank()] = s.tile[block.rank()];
}

void launch(bool faulty) {
  Data d;
  if (!faulty) tma::launch(write, {.grid = 1, .block = 128}, d.out.get());
  tma::launch(faulty ? kernel<true> : kernel<false>, {.grid = 1, .block = 64}, d.to, d.out.get(), d.out.get());
}
}  // namespace unfenced_global

FAULT(unfenced_global, "the engine loads what threads of this launch have written to global memory",
      .run = unfenced_global::launch, .kind = Kind::unfenced_global,
      .says  = {"the load of global memory that thread 0 issues", "thread 0", "no proxy fence for global memory"},
      .lines = {"unfenced_global.write", "unfenced_global.load"})

namespace source_changed {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Out data, int* source) {
  struct Shared {
    Tile             tile;
    tma::LoadBarrier barrier;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(s.barrier);
  ptx::describe(&s.barrier, sizeof s.barrier, "barrier");
  if (auto issuer = block.elect()) issuer.load(data, {0, 0}, s.tile, arrived);  // <source_changed.load>
  if (!Faulty) arrived.wait();
  source[block.rank()] = 0;  // <source_changed.write>
  if (Faulty) arrived.wait();
  source[512 + block.rank()] = s.tile[block.rank()];
}
}  // namespace source_changed

FAULT(source_changed, "global memory is written while a load still reads it",
      .run = run<source_changed::kernel<true>, source_changed::kernel<false>>, .kind = Kind::unwaited_load,
      .says  = {"writes global memory", "the load that reads it", "completes on barrier phase 0", "has not waited for"},
      .lines = {"source_changed.write", "source_changed.load"})

}  // namespace
