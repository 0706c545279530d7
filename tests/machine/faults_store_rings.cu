// Faults of rings that the engine stores from: of their protocols, by hand, and of those who use the library's.
#include <tma/pipeline/in_place_roles.hpp>
#include <tma/pipeline/store_ring.hpp>

#include "faults.hpp"

using namespace faults;

namespace {

// --- the protocol of a store ring ------------------------------------------------------------------------------------

enum class Ring {
  right,
  unpublished,        // writers do not fence
  waits_for_less,     // the wait lets one store too many be under way
  waits_after,        // the wait stands after the meeting that announces the next stage
  meets_once,         // one stage, one meeting
  skips_uncommitted,  // a step without a store commits no group, and the waits count groups
  issued_in_turn,     // another warp issues every other step
  undrained,          // nobody waits at the end
};

template <Ring How, int Stages> __global__ void by_hand(const __grid_constant__ Out to) {
  auto& r = faults::ring<Stages>();
  for (int i = 0; i < 7; ++i) {
    const int  s      = i % Stages;
    const bool issues = threadIdx.x == (How == Ring::issued_in_turn && i % 2 == 1 ? 32 : 0);
    if (Stages == 1) {
      if (issues) ptx::bulk_wait_group_read<0>();
      if (How != Ring::meets_once) ptx::sync_block();
    }
    for (int k = threadIdx.x; k < Tile::size; k += 64) r.tile[s][k] = i;  // <by_hand.write>
    if (How != Ring::unpublished) ptx::fence_proxy_async_shared();
    constexpr int pending = Stages - 2 + (How == Ring::waits_for_less);
    if constexpr (Stages > 1)
      if (issues && How != Ring::waits_after) ptx::bulk_wait_group_read<pending>();
    ptx::sync_block();
    if constexpr (Stages > 1)
      if (issues && How == Ring::waits_after) ptx::bulk_wait_group_read<pending>();
    if (issues) {
      const bool stores = i % 3 != 1;
      if (stores) ptx::tensor_store<2>(tma::tensor_map(to), {{0, i * 4}}, r.tile_at(s));  // <by_hand.store>
      if (stores || How != Ring::skips_uncommitted) ptx::bulk_commit_group();
    }
  }
  if (threadIdx.x % 32 == 0 && How != Ring::undrained) ptx::bulk_wait_group_read<0>();
}

template <Ring How, int Stages> constexpr auto run_by_hand = run<by_hand<How, Stages>, by_hand<Ring::right, Stages>>;

FAULT(ring_unpublished, "a store ring whose writers do not fence", .run = run_by_hand<Ring::unpublished, 2>,
      .kind = Kind::unfenced_store, .says = {"the store of tile 0 of stage 0 that thread 0 issues", "did not fence"},
      .lines = {"by_hand.write", "by_hand.store"})

FAULT(ring_waits_for_less, "a store ring of two stages that lets one store be under way when it goes on",
      .run = run_by_hand<Ring::waits_for_less, 2>, .kind = Kind::overwritten_source,
      .says  = {"writes tile 0 of stage 0", "the store of thread 0 that reads it", "may not have read it yet"},
      .lines = {"by_hand.write", "by_hand.store"})

FAULT(ring_waits_for_less_of_4, "a store ring of four stages that lets three stores be under way when it goes on",
      .run = run_by_hand<Ring::waits_for_less, 4>, .kind = Kind::overwritten_source,
      .says  = {"writes tile 0 of stage 0", "the store of thread 0 that reads it", "may not have read it yet"},
      .lines = {"by_hand.write", "by_hand.store"})

FAULT(ring_waits_after, "a store ring that waits after the meeting which tells that the next stage is free",
      .run = run_by_hand<Ring::waits_after, 2>, .kind = Kind::overwritten_source,
      .says  = {"writes tile 0 of stage 0", "the store of thread 0 that reads it"},
      .lines = {"by_hand.write", "by_hand.store"})

FAULT(ring_meets_once, "a store ring of one stage that meets once a step", .run = run_by_hand<Ring::meets_once, 1>,
      .kind = Kind::overwritten_source, .says = {"writes tile 0 of stage 0", "the store of thread 0 that reads it"},
      .lines = {"by_hand.write", "by_hand.store"})

FAULT(ring_skips_uncommitted, "a store ring whose waits count steps, of which one without a store has no group",
      .run = run_by_hand<Ring::skips_uncommitted, 3>, .kind = Kind::overwritten_source,
      .says  = {"the store of thread 0 that reads it", "may not have read it yet"},
      .lines = {"by_hand.write", "by_hand.store"})

FAULT(ring_issued_in_turn, "a store ring whose steps are issued by two threads in turn",
      .run = run_by_hand<Ring::issued_in_turn, 2>, .kind = Kind::overwritten_source,
      .says = {"the store of thread 0 that reads it"}, .lines = {"by_hand.write", "by_hand.store"})

FAULT(ring_undrained, "a block leaves with what its store ring has under way", .run = run_by_hand<Ring::undrained, 2>,
      .kind = Kind::exit_with_store, .says = {"block 0 ends with a store that may still read tile 0 of stage 0", "thread 0"},
      .lines = {"by_hand.store"})

// --- those who use a store ring --------------------------------------------------------------------------------------

using Stored = tma::StoreStages<2, Tile>;

// A thread keeps a tile's address and writes there after its step.
namespace written_later {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Out to) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<Stored>(), block);
  for (int i = 0; i < 4; ++i) {
    Tile* kept = nullptr;
    out.next(
        [&](Tile& tile) {
          for (auto& x : block.elements(tile)) x = i;
          kept = &tile;
        },
        [&](auto store) { store(to, {i * 4, 0}); });  // <written_later.store>
    if (Faulty && block.rank() == 5) (*kept)[5] = 1;  // <written_later.write>
  }
}
}  // namespace written_later

FAULT(ring_written_later, "a stage is written after its step",
      .run = run<written_later::kernel<true>, written_later::kernel<false>>, .kind = Kind::overwritten_source,
      .says  = {"thread 5 writes tile 0 of store stage 0", "the store of thread 0 that reads it"},
      .lines = {"written_later.write", "written_later.store"})

// The stages are used for something else when the ring is gone, by threads that have not met the one that waited.
namespace used_after {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Out to) {
  auto& stages = tma::shared<Stored>();
  auto  block  = tma::this_block();
  for (int ring = 0; ring < 2; ++ring) {
    tma::StoreRing out(stages, block);
    for (int i = 0; i < 3; ++i)
      out.next(
          [&](Tile& tile) {
            for (auto& x : block.elements(tile)) x = i;  // <used_after.write>
          },
          [&](auto store) { store(to, {(ring * 3 + i) * 4, 0}); });  // <used_after.store>
    if (!Faulty) {
      out.wait_visible();
      block.sync();
    }
  }
}
}  // namespace used_after

FAULT(ring_used_after, "a second ring begins in the stages of a first, and the block has not met in between",
      .run = run<used_after::kernel<true>, used_after::kernel<false>>, .kind = Kind::overwritten_source,
      .says  = {"the store of thread 0 that reads it", "no meeting after it"},
      .lines = {"used_after.write", "used_after.store"})

// What is stored is read when its source is free.
namespace read_back {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Out to, int* data) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<Stored>(), block);
  for (int i = 0; i < 3; ++i)
    out.next(
        [&](Tile& tile) {
          for (auto& x : block.elements(tile)) x = i;
        },
        [&](auto store) { store(to, {i * 4, 0}); });  // <read_back.store>
  if (!Faulty) out.wait_visible();
  block.sync();
  data[512 + block.rank()] = data[block.rank()];  // <read_back.read>
}
}  // namespace read_back

FAULT(ring_read_back, "what a store ring has stored is read without wait_visible",
      .run = run<read_back::kernel<true>, read_back::kernel<false>>, .kind = Kind::invisible_store,
      .lines = {"read_back.read", "read_back.store"})

// --- stages as objects -----------------------------------------------------------------------------------------------

enum class Held { right, forgotten, stored_twice, used_after, used_when_moved };

template <Held How> __global__ void held(const __grid_constant__ Out to) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<Stored>(), block);
  auto           stage = out.acquire();
  for (auto& x : block.elements(*stage)) x = 1;
  if (How == Held::used_when_moved) {
    auto moved = static_cast<decltype(stage)&&>(stage);
    moved.store(to, {0, 0});
    stage.store(to, {4, 0});  // <held.moved>
    return;
  }
  if (How != Held::forgotten) stage.store(to, {0, 0});
  if (How == Held::stored_twice) stage.store(to, {4, 0});   // <held.twice>
  if (How == Held::used_after) (*stage)[block.rank()] = 2;  // <held.after>
}

FAULT(stage_forgotten, "a stage is acquired and neither stored nor skipped",
      .run = run<held<Held::forgotten>, held<Held::right>>, .kind = Kind::rule,
      .says = {"a stage that was acquired is stored or skipped", "stage.skip()"})

FAULT(stage_stored_twice, "a stage is stored twice", .run = run<held<Held::stored_twice>, held<Held::right>>,
      .kind = Kind::rule, .says = {"a stage is stored or skipped once, and not used after that"}, .lines = {"held.twice"})

FAULT(stage_used_after, "a stage is written after it was stored", .run = run<held<Held::used_after>, held<Held::right>>,
      .kind = Kind::rule, .says = {"a stage is stored or skipped once, and not used after that"}, .lines = {"held.after"})

FAULT(stage_used_when_moved, "a stage is stored where it was moved from",
      .run = run<held<Held::used_when_moved>, held<Held::right>>, .kind = Kind::rule,
      .says = {"a stage is stored or skipped once, and not used after that"}, .lines = {"held.moved"})

// --- the protocol of an in-place ring --------------------------------------------------------------------------------

enum class InPlace {
  right,
  unfenced,         // those who change a stage do not fence
  arrives_early,    // a warp arrives before its lanes have met
  stores_at_once,   // the mover does not wait for the workers
  refills_at_once,  // the mover does not wait for the store before it loads again
  refills_newest,   // it waits for the store before, and loads over the newest
  undrained,
};

// Warp 0 moves, warps 1 and 2 change.
template <InPlace How, int Stages> __global__ void in_place(const __grid_constant__ Out map) {
  constexpr int steps = 7, lag = Stages > 1 && How != InPlace::refills_newest ? 1 : 0;
  auto&         r    = faults::ring<Stages>(2);
  const auto    fill = [&](int i) {
    const int s = i % Stages;
    ptx::tensor_load<2>(r.tile_at(s), tma::tensor_map(map), {{0, i * 4}}, r.full_at(s));  // <in_place.load>
    ptx::mbarrier_arrive_expect_tx(r.full_at(s), tile_bytes);
  };
  if (threadIdx.x == 0) {
    for (int i = 0; i < Stages && i < steps; ++i) fill(i);
    for (int i = 0; i < steps; ++i) {
      const int s = i % Stages, parity = i / Stages % 2;
      if (How == InPlace::stores_at_once) {
        while (!ptx::mbarrier_try_wait(r.full_at(s), parity)) {}
      } else {
        while (!ptx::mbarrier_try_wait(r.empty_at(s), parity)) {}
      }
      ptx::tensor_store<2>(tma::tensor_map(map), {{0, i * 4}}, r.tile_at(s));  // <in_place.store>
      ptx::bulk_commit_group();
      if (i >= lag && i - lag + Stages < steps) {
        if (How != InPlace::refills_at_once) ptx::bulk_wait_group_read<Stages == 1 ? 0 : 1>();
        fill(i - lag + Stages);
      }
    }
    if (How != InPlace::undrained) ptx::bulk_wait_group_read<0>();
  } else if (threadIdx.x >= 32) {
    for (int i = 0; i < steps; ++i) {
      const int s = i % Stages;
      while (!ptx::mbarrier_try_wait(r.full_at(s), i / Stages % 2)) {}
      for (int k = int(threadIdx.x) - 32; k < Tile::size; k += 64) r.tile[s][k] += i;  // <in_place.change>
      if (How != InPlace::unfenced) ptx::fence_proxy_async_shared();
      if (How != InPlace::arrives_early) ptx::sync_warp();
      if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(r.empty_at(s));
    }
  }
}

template <InPlace How, int Stages>
constexpr auto run_in_place = run<in_place<How, Stages>, in_place<InPlace::right, Stages>, 96>;

FAULT(in_place_unfenced, "those who change a stage in place do not fence", .run = run_in_place<InPlace::unfenced, 3>,
      .kind = Kind::unfenced_store, .says = {"the store of tile 0 of stage 0 that thread 0 issues"},
      .lines = {"in_place.change", "in_place.store"})

FAULT(in_place_arrives_early, "a warp hands a stage on before its lanes have changed it",
      .run = run_in_place<InPlace::arrives_early, 3>, .kind = Kind::unordered_store,
      .says = {"that thread 0 issues", "may still be writing it"}, .lines = {"in_place.change", "in_place.store"})

FAULT(in_place_stores_at_once, "a stage is stored when it is loaded, and not when it is changed",
      .run = run_in_place<InPlace::stores_at_once, 3>, .kind = Kind::unordered_store,
      .says = {"that thread 0 issues", "may still be writing it"}, .lines = {"in_place.change", "in_place.store"},
      .within = 100)

FAULT(in_place_refills_at_once, "a stage is loaded again without a wait for its store",
      .run = run_in_place<InPlace::refills_at_once, 3>, .kind = Kind::overwritten_source,
      .says  = {"the load of tile 0 of stage 0 that thread 0 issues", "a store of thread 0", "may still be reading it"},
      .lines = {"in_place.load", "in_place.store"})

FAULT(in_place_refills_newest, "a stage is loaded again when all stores but its own have read",
      .run = run_in_place<InPlace::refills_newest, 3>, .kind = Kind::overwritten_source,
      .says  = {"the load of tile 0 of stage 0 that thread 0 issues", "a store of thread 0", "may still be reading it"},
      .lines = {"in_place.load", "in_place.store"})

FAULT(in_place_refills_newest_of_1, "the one stage is loaded again without a wait",
      .run = run_in_place<InPlace::refills_at_once, 1>, .kind = Kind::overwritten_source,
      .says  = {"the load of tile 0 of stage 0 that thread 0 issues", "a store of thread 0", "may still be reading it"},
      .lines = {"in_place.load", "in_place.store"})

FAULT(in_place_undrained, "the moving thread leaves with a store under way", .run = run_in_place<InPlace::undrained, 2>,
      .kind = Kind::exit_with_store, .says = {"block 0 ends with a store that may still read tile 0 of stage 1", "thread 0"},
      .lines = {"in_place.store"})

// --- those who use an in-place ring ----------------------------------------------------------------------------------

using Pipe = tma::InPlacePipeline<3, Tile>;

// Each step loads a row that the step before stores.
namespace overlapping {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Out map) {
  auto block = tma::this_block();
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(
      6, [&](auto load, int i) { load(map, {i * (Faulty ? 3 : 4), 0}); },
      [&](Tile& tile, int) {
        for (auto& x : block.elements(tile)) x += 1;
      },
      [&](auto store, int i) { store(map, {i * (Faulty ? 3 : 4), 0}); });
}
}  // namespace overlapping

FAULT(in_place_overlapping, "a step loads what an earlier step stores",
      .run = run<overlapping::kernel<true>, overlapping::kernel<false>>, .kind = Kind::nondeterministic,
      .says = {"other bytes in device memory than the first one"}, .within = 100)

template <int Moved, int Worked> __global__ void steps(const __grid_constant__ Out map) {
  tma::transform(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& mover) {
        mover.for_each(
            Moved, [&](auto load, int i) { load(map, {i * 4, 0}); },
            [&](auto store, int i) { store(map, {i * 4, 0}); });  // <steps.move>
      },
      tma::consumer_warps<2>,
      [&](auto& worker) {
        const auto change = [&](Tile& tile) {
          for (auto& x : worker.elements(tile)) x += 1;
        };
        for (int i = 0; i < Worked; ++i) worker.next(change);  // <steps.work>
      });
}

FAULT(in_place_works_less, "the workers take fewer steps than the mover", .run = run<steps<5, 4>, steps<5, 5>, 96>,
      .kind = Kind::deadlock, .says = {"thread 0 (mover) waits for phase 1 of done[1]", "2 of 2 arrivals missing"})

FAULT(in_place_works_more, "the workers take more steps than the mover", .run = run<steps<4, 5>, steps<5, 5>, 96>,
      .kind = Kind::deadlock, .says = {"thread 32 (worker) and 63 more", "waits for phase 1 of full[1]"},
      .lines = {"steps.work"})

// A worker keeps a tile's address and writes there after its step.
namespace changed_later {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Out map) {
  tma::transform(
      tma::shared<Pipe::Shared>(), tma::producer_warp<2>,
      [&](auto& mover) {
        mover.for_each(
            4, [&](auto load, int i) { load(map, {i * 4, 0}); },
            [&](auto store, int i) { store(map, {i * 4, 0}); });  // <changed_later.store>
      },
      tma::consumer_warps<2>,
      [&](auto& worker) {
        for (int i = 0; i < 4; ++i) {
          Tile* kept = nullptr;
          worker.next([&](Tile& tile) {
            for (auto& x : worker.elements(tile)) x += 1;
            kept = &tile;
          });
          if (Faulty && worker.rank() == 5) (*kept)[5] = 1;  // <changed_later.write>
        }
      });
}
}  // namespace changed_later

FAULT(in_place_changed_later, "a stage is changed after its step",
      .run = run<changed_later::kernel<true>, changed_later::kernel<false>, 96>, .kind = Kind::unordered_store,
      .lines = {"changed_later.write"}, .within = 100)

}  // namespace
