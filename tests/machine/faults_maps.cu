// Faults with descriptors in memory: used without an acquire, edited without a release, written while copies go through them.
#include "faults.hpp"

#include <tma/device/descriptor_acquire.hpp>
#include <tma/device/edit.hpp>
#include <tma/device/reduce.hpp>

using namespace faults;

namespace {

using Slots = tma::DescriptorSlots<Map>;
using Field = tma::detail::MapField;

struct Room {
  tma::DescriptorScratch<Map> scratch;
  Tile                        tile;
  tma::LoadBarrier            barrier;
  alignas(128) unsigned char map[128];
};

// A descriptor that the host has written to device memory.
struct Slot {
  Data                      data;
  gpu::Array<unsigned char> bytes{Slots::slot_bytes};

  Slot() { gpu::require(cudaMemcpy(bytes.get(), &data.from, sizeof data.from, cudaMemcpyHostToDevice), "write"); }
  Slots slots() const { return {reinterpret_cast<Map*>(bytes.get()), 1}; }
};

template <auto Wrong, auto Right, int Blocks = 1> void run_slot(bool faulty) {
  Slot s;
  tma::launch(faulty ? Wrong : Right, {.grid = Blocks, .block = 64}, s.data.from, s.slots(), s.data.in.get(),
              s.data.out.get());
}

// --- acquired --------------------------------------------------------------------------------------------------------

enum class Acquired { by_issuer, by_nobody, by_another, by_another_and_met, of_another };

template <Acquired How> __global__ void load_slot(const __grid_constant__ Map from, Slots slots, const int*, int* out) {
  auto& s               = tma::shared<Room>();
  auto [block, arrived] = tma::this_block(s.barrier);
  const Map& map        = *tma::detail::slot_at(slots, 0);
  if ((How == Acquired::by_another || How == Acquired::by_another_and_met) && ptx::thread_rank() == 40) tma::acquire(map);
  if (How == Acquired::by_another_and_met) block.sync();
  if (ptx::thread_rank() == 0) {
    if (How == Acquired::by_issuer) tma::acquire(map);
    if (How == Acquired::of_another) ptx::fence_tensormap_acquire<tma::Scope::system>(&from);
    const u32 tile = ptx::shared_address(&s.tile), barrier = ptx::shared_address(&s.barrier);
    ptx::mbarrier_arrive_expect_tx(barrier, tile_bytes);
    ptx::tensor_load<2>(tile, tma::tensor_map(map), {{0, 4}}, barrier);  // <load_slot.load>
  }
  arrived.wait();
  out[block.rank()] = s.tile[block.rank()];
}

FAULT(map_not_acquired, "a descriptor that the host has copied to the device, used as it is",
      .run = run_slot<load_slot<Acquired::by_nobody>, load_slot<Acquired::by_issuer>>, .kind = Kind::stale_descriptor,
      .says  = {"thread 0 uses the descriptor at", "the host, or an earlier kernel", "has not been acquired in this block",
                "tma::acquire"},
      .lines = {"load_slot.load"})
FAULT(map_acquired_elsewhere, "a descriptor that another thread has acquired, which the issuer has not met",
      .run  = run_slot<load_slot<Acquired::by_another>, load_slot<Acquired::by_another_and_met>>,
      .kind = Kind::stale_descriptor, .says = {"has not been acquired in this block"}, .lines = {"load_slot.load"})
FAULT(map_acquired_another, "another descriptor is acquired than the one that is used",
      .run = run_slot<load_slot<Acquired::of_another>, load_slot<Acquired::by_issuer>>, .kind = Kind::stale_descriptor,
      .says = {"has not been acquired in this block"}, .lines = {"load_slot.load"})

// --- edited ----------------------------------------------------------------------------------------------------------

enum class Edited { published, not_released, acquired_before, by_plain_stores, plain_and_released, nonsense };

// The lower half of the tensor, by a descriptor that the first warp edits in the slot.
template <Edited How> __global__ void edit_slot(const __grid_constant__ Map from, Slots slots, const int* in, int* out) {
  auto& s               = tma::shared<Room>();
  auto [block, arrived] = tma::this_block(s.barrier);
  Map* const map        = tma::detail::slot_at(slots, 0);
  if (How == Edited::acquired_before && ptx::thread_rank() == 0) tma::acquire(*map);
  if (ptx::thread_rank() < 32) {
    if (How == Edited::by_plain_stores || How == Edited::plain_and_released) {
      const auto* words = static_cast<const u64*>(tma::tensor_map(from));
      if (ptx::thread_rank() < 16)
        reinterpret_cast<u64*>(map)[ptx::thread_rank()] = words[ptx::thread_rank()];  // <edit_slot.store>
      if (How == Edited::plain_and_released) ptx::fence_tensormap_release<tma::Scope::device>();
    } else if (How == Edited::not_released) {
      if (ptx::thread_rank() == 0)
        ptx::tensormap_replace<Field::address>(static_cast<void*>(map), u64(in + elements / 2));  // <edit_slot.replace>
    } else {
      const auto edit = tma::edit(s.scratch, from);
      edit.address(in + elements / 2).extents({rows / 2, columns});
      if (How == Edited::nonsense && ptx::thread_rank() == 0)
        ptx::tensormap_replace<Field::stride, 0>(ptx::shared_address(&s.scratch), u64(72));
      edit.publish(slots, 0, tma::no_copy_uses_it());  // <edit_slot.publish>
    }
  }
  block.sync();
  if (ptx::thread_rank() == 0) {
    if (How != Edited::acquired_before) tma::acquire<tma::Scope::device>(*map);
    const u32 tile = ptx::shared_address(&s.tile), barrier = ptx::shared_address(&s.barrier);
    ptx::mbarrier_arrive_expect_tx(barrier, tile_bytes);
    ptx::tensor_load<2>(tile, tma::tensor_map(*map), {{0, 4}}, barrier);  // <edit_slot.load>
  }
  arrived.wait();
  out[block.rank()] = s.tile[block.rank()];
}

template <Edited How> constexpr auto edit_run = run_slot<edit_slot<How>, edit_slot<Edited::published>>;

FAULT(map_not_released, "a descriptor that is edited in its slot, and not released", .run = edit_run<Edited::not_released>,
      .kind = Kind::stale_descriptor, .says = {"which thread 0 wrote", "nobody has released to the engine"},
      .lines = {"edit_slot.load", "edit_slot.replace"})
FAULT(map_acquired_before, "a descriptor is acquired before it is edited", .run = edit_run<Edited::acquired_before>,
      .kind = Kind::stale_descriptor, .says = {"which thread 0 wrote", "has not been acquired since"},
      .lines = {"edit_slot.load"})
FAULT(map_by_plain_stores, "a descriptor that threads copy to its slot, and do not release",
      .run  = run_slot<edit_slot<Edited::by_plain_stores>, edit_slot<Edited::plain_and_released>>,
      .kind = Kind::stale_descriptor, .says = {"wrote", "nobody has released"},
      .lines = {"edit_slot.load", "edit_slot.store"})
FAULT(map_of_nonsense, "a descriptor is edited to a stride of 72 bytes", .run = edit_run<Edited::nonsense>,
      .kind = Kind::bad_descriptor, .says = {"an edited descriptor that breaks rule T7"}, .lines = {"edit_slot.load"})

// --- by another block ------------------------------------------------------------------------------------------------

enum class Flag { right, acquired_early };

// Block 0 publishes, block 1 loads when a flag says so.
template <Flag How> __global__ void over_there(const __grid_constant__ Map from, Slots slots, const int* in, int* out) {
  auto& s               = tma::shared<Room>();
  auto [block, arrived] = tma::this_block(s.barrier);
  const Map& map        = *tma::detail::slot_at(slots, 0);
  if (blockIdx.x == 0) {
    if (ptx::thread_rank() < 32) {
      const auto edit = tma::edit(s.scratch, from);
      edit.address(in + elements / 2).extents({rows / 2, columns});
      edit.publish(slots, 0, tma::no_copy_uses_it());
    }
    block.sync();
    if (ptx::thread_rank() == 0) {
      __threadfence();
      atomicExch(out, 1);
    }
    return;
  }
  if (ptx::thread_rank() == 0) {
    if (How == Flag::acquired_early) tma::acquire<tma::Scope::device>(map);
    while (atomicAdd(out, 0) != 1) {}
    __threadfence();
    if (How == Flag::right) tma::acquire<tma::Scope::device>(map);
    const u32 tile = ptx::shared_address(&s.tile), barrier = ptx::shared_address(&s.barrier);
    ptx::mbarrier_arrive_expect_tx(barrier, tile_bytes);
    ptx::tensor_load<2>(tile, tma::tensor_map(map), {{0, 4}}, barrier);  // <over_there.load>
  }
  arrived.wait();
  out[64 + block.rank()] = s.tile[block.rank()];
}

FAULT(map_of_another_block, "a descriptor is acquired before another block has published it",
      .run = run_slot<over_there<Flag::acquired_early>, over_there<Flag::right>, 2>, .kind = Kind::stale_descriptor,
      .says = {"has written", "after this block has acquired it"}, .lines = {"over_there.load"}, .within = 100)

// --- in use ----------------------------------------------------------------------------------------------------------

enum class Use { load, store, waited, drained, stored_and_drained };

template <Use How> __global__ void edit_under_way(const __grid_constant__ Map, Slots slots, const int* in, int* out) {
  auto& s               = tma::shared<Room>();
  auto [block, arrived] = tma::this_block(s.barrier);
  Map* const     map    = tma::detail::slot_at(slots, 0);
  constexpr bool stores = How == Use::store || How == Use::stored_and_drained;
  for (auto& x : block.elements(s.tile)) x = 1;
  ptx::fence_proxy_async_shared();
  block.sync();
  if (ptx::thread_rank() == 0) {
    tma::acquire(*map);
    const u32 tile = ptx::shared_address(&s.tile), barrier = ptx::shared_address(&s.barrier);
    if (!stores) ptx::mbarrier_arrive_expect_tx(barrier, tile_bytes);
    if (stores) ptx::tensor_store<2>(tma::tensor_map(*map), {{0, 4}}, tile);   // <under_way.store>
    else ptx::tensor_load<2>(tile, tma::tensor_map(*map), {{0, 4}}, barrier);  // <under_way.load>
    if (stores) ptx::bulk_commit_group();
  }
  if (How == Use::waited) arrived.wait(), block.sync();
  if (How == Use::drained || How == Use::stored_and_drained) (void)tma::drain(block);
  if (ptx::thread_rank() == 32) {
    ptx::tensormap_replace<Field::address>(static_cast<void*>(map), u64(in + elements / 2));  // <under_way.edit>
    ptx::fence_tensormap_release<tma::Scope::device>();
  }
  if (!stores && How != Use::waited) arrived.wait();
  if (stores && ptx::thread_rank() == 0) ptx::bulk_wait_group<0>();
  block.sync();
  if (!stores) out[block.rank()] = s.tile[block.rank()];
}

FAULT(map_edited_under_load, "a descriptor is edited while a load goes through it",
      .run = run_slot<edit_under_way<Use::load>, edit_under_way<Use::waited>>, .kind = Kind::descriptor_in_use,
      .says  = {"thread 32 writes a descriptor", "the load of thread 0 that goes through it", "may not have read it yet"},
      .lines = {"under_way.edit", "under_way.load"})
FAULT(map_edited_under_store, "a descriptor is edited while a store goes through it",
      .run = run_slot<edit_under_way<Use::store>, edit_under_way<Use::stored_and_drained>>, .kind = Kind::descriptor_in_use,
      .says  = {"thread 32 writes a descriptor", "the store of thread 0 that goes through it"},
      .lines = {"under_way.edit", "under_way.store"})
FAULT(map_edited_and_not_drained, "a descriptor is edited beside a load, which a drain would have let read it",
      .run = run_slot<edit_under_way<Use::load>, edit_under_way<Use::drained>>, .kind = Kind::descriptor_in_use,
      .says = {"nor drain of that thread's copies"}, .lines = {"under_way.edit"})

// --- in the wrong place ----------------------------------------------------------------------------------------------

template <bool Faulty> __global__ void in_shared(const __grid_constant__ Map from, Slots, const int*, int* out) {
  auto& s               = tma::shared<Room>();
  auto [block, arrived] = tma::this_block(s.barrier);
  const auto* words     = static_cast<const u64*>(tma::tensor_map(from));
  if (ptx::thread_rank() < 16) reinterpret_cast<u64*>(s.map)[ptx::thread_rank()] = words[ptx::thread_rank()];
  block.sync();
  if (ptx::thread_rank() == 0) {
    const u32 tile = ptx::shared_address(&s.tile), barrier = ptx::shared_address(&s.barrier);
    ptx::mbarrier_arrive_expect_tx(barrier, tile_bytes);
    ptx::tensor_load<2>(tile, Faulty ? static_cast<const void*>(s.map) : tma::tensor_map(from), {{0, 4}},  //
                        barrier);  // <in_shared.load>
  }
  arrived.wait();
  out[block.rank()] = s.tile[block.rank()];
}

FAULT(map_in_shared, "a copy through a descriptor in shared memory", .run = run_slot<in_shared<true>, in_shared<false>>,
      .kind = Kind::bad_descriptor, .says = {"a descriptor in shared memory", "publish it to global memory"})

template <int Offset> __global__ void edit_at(const __grid_constant__ Map, Slots slots, const int* in, int*) {
  char* const map = reinterpret_cast<char*>(tma::detail::slot_at(slots, 0)) + Offset;
  if (ptx::thread_rank() == 0) ptx::tensormap_replace<Field::address>(static_cast<void*>(map), u64(in));  // <edit_at.edit>
}

FAULT(map_misaligned, "an edit at an address that is no multiple of 64", .run = run_slot<edit_at<8>, edit_at<0>>,
      .kind = Kind::misaligned_address, .says = {"edits a tensor map at an address"}, .lines = {"edit_at.edit"})
FAULT(map_of_no_map, "an edit of 128 bytes that are no descriptor", .run = run_slot<edit_at<64>, edit_at<0>>,
      .kind = Kind::out_of_bounds, .says = {"edits a tensor map at"}, .lines = {"edit_at.edit"})

}  // namespace
