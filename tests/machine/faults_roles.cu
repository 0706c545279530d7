// Faults of warps with different parts, and of warps that leave.
#include "faults.hpp"

#include <tma/device/register_budget.hpp>
#include <tma/pipeline/in_place_roles.hpp>
#include <tma/pipeline/producer_group.hpp>

using namespace faults;

namespace {

namespace barrier_in_a_role {
using Pipe = tma::Pipeline<2, Tile>;
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < 4; ++i)
          producer.next([&](auto stage) { stage.load(from, {i * 4, 0}); });  // <barrier_in_a_role.next>
      },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
        for (int i = 0; i < 4; ++i)
          consumer.next([&](const Tile& tile) {
            out[i * 64 + consumer.rank()] = tile[consumer.rank()];
            if (Faulty) __syncthreads();  // <barrier_in_a_role.meet>
            else consumer.sync();
          });
      });
}
}  // namespace barrier_in_a_role

FAULT(barrier_in_a_role, "a barrier of the whole block in the consumers' branch",
      .run = run<barrier_in_a_role::kernel<true>, barrier_in_a_role::kernel<false>, 96>, .kind = Kind::deadlock,
      .says  = {"thread 0 (producer) waits for phase 0 of empty[0]", "2 of 2 arrivals missing",
                "thread 32 (consumer) and 63 more", "waits for its block", "64 of 65 threads are there"},
      .lines = {"barrier_in_a_role.next", "barrier_in_a_role.meet"})

template <int Produced, int Consumed> __global__ void steps(const __grid_constant__ Map from, int* out) {
  using Pipe = tma::Pipeline<2, Tile>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < Produced; ++i)
          producer.next([&](auto stage) { stage.load(from, {i * 4, 0}); });  // <steps.produce>
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        for (int i = 0; i < Consumed; ++i) {
          const auto use = [&](const Tile& tile) { out[i * 32 + consumer.rank()] = tile[consumer.rank()]; };
          consumer.next(use);  // <steps.consume>
        }
      });
}

FAULT(
    consumes_more, "the consumers take one step more than the producer", .run = run<steps<3, 4>, steps<4, 4>>,
    .kind = Kind::deadlock,
    .says = {"thread 32 (consumer) and 31 more", "waits for phase 1 of full[1]", "1 of 1 arrivals missing",
             "likely cause: the two sides of the ring take different numbers of steps: the producer has filled 3 stages and "
             "the consumers have used 3; the producer has taken its last step, and the consumers go on",
             "Both must take the same number of steps. Fix: compute the number once, before the roles part"},
    .lines = {"steps.consume"})

FAULT(
    produces_more, "the producer takes more steps than the consumers, and there is no room",
    .run = run<steps<7, 4>, steps<4, 4>>, .kind = Kind::deadlock,
    .says = {"thread 0 (producer) waits for phase 2 of empty[0]", "1 of 1 arrivals missing",
             "the two sides of the ring take different numbers of steps: the producer has filled 6 stages and the consumers "
             "have used 4; 32 of 32 threads of the consumers have taken their last step, and the producer goes on",
             "skip what is left (consumer.skip)"},
    .lines = {"steps.produce"})

FAULT(produces_one_more, "the producer takes one step more than the consumers", .run = run<steps<5, 4>, steps<4, 4>>,
      .kind  = Kind::exit_with_load,
      .says  = {"block 0 ends with a load that thread 0 issued",
                "completes on full[0] phase 2, which no thread has waited for: the producer has filled 5 stages and the "
                "consumers have used 4. Both must take the same number of steps. Fix: "},
      .lines = {"steps.produce"})

// The warps of one role take different numbers of steps.
namespace a_warp_leaves {
using Pipe = tma::Pipeline<2, Tile>;
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<2>,
      [&](auto& producer) {
        for (int i = 0; i < 5; ++i)
          producer.next([&](auto stage) { stage.load(from, {i * 4, 0}); });  // <a_warp_leaves.produce>
      },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
        const int steps = Faulty && consumer.rank() >= 32 ? 1 : 5;
        for (int i = 0; i < steps; ++i) {
          const auto use = [&](const Tile& tile) { out[i * 64 + consumer.rank()] = tile[consumer.rank()]; };
          consumer.next(use);  // <a_warp_leaves.consume>
        }
      });
}
}  // namespace a_warp_leaves

FAULT(
    a_warp_leaves, "one of the consuming warps takes fewer steps",
    .run = run<a_warp_leaves::kernel<true>, a_warp_leaves::kernel<false>, 96>, .kind = Kind::deadlock,
    .says  = {"thread 64 (producer) waits for phase 0 of empty[1]", "1 of 2 arrivals missing",
              "thread 0 (consumer) and 31 more", "waits for phase 1 of full[1]",
              "the producer has filled 3 stages and the consumers have used 1; 32 of 64 threads of the consumers have taken "
              "their last step, and the producer goes on"},
    .lines = {"a_warp_leaves.produce", "a_warp_leaves.consume"})

// What threads write is on its way to nowhere: of a stage that nobody uses the counts alone tell.
namespace written_for_nobody {
using Pipe = tma::Pipeline<2, tma::ByThreads<tma::Buffer<int, 32>>>;
template <bool Faulty> __global__ void kernel(int* out) {
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warps<1>,
      [&](auto& producer) {
        for (int i = 0; i < 4; ++i) producer.next([&](auto& stage) { stage[tma::slot<0>][producer.rank()] = i; });
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        for (int i = 0; i < (Faulty ? 3 : 4); ++i) {
          const auto use = [&](const tma::Buffer<int, 32>& x) { out[i * 32 + consumer.rank()] = x[consumer.rank()]; };
          consumer.next(use);
        }
      });
}
}  // namespace written_for_nobody

FAULT(written_for_nobody, "a producer's threads write one stage more than the consumers use",
      .run = run<written_for_nobody::kernel<true>, written_for_nobody::kernel<false>>, .kind = Kind::rule,
      .says = {"block 0 ends with a stage that was filled and not used",
               "the producer has filled 4 stages and the consumers "
               "have used 3. Both must take the same number of steps. Fix: "})

namespace workers_stop {
using Pipe = tma::InPlacePipeline<2, Tile>;
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, const __grid_constant__ Out to) {
  tma::transform(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& mover) {
        const auto store = [&](auto stores, int i) { stores(to, {i * 4, 0}); };
        mover.for_each(4, [&](auto load, int i) { load(from, {i * 4, 0}); }, store);  // <workers_stop.move>
      },
      tma::consumer_warps<1>,
      [&](auto& worker) {
        for (int i = 0; i < (Faulty ? 2 : 4); ++i) worker.next([](Tile&) {});
      });
}
}  // namespace workers_stop

FAULT(workers_stop, "the workers of a transform take fewer steps than it moves",
      .run = run<workers_stop::kernel<true>, workers_stop::kernel<false>>, .kind = Kind::deadlock,
      .says =
          {"thread 0 (mover) waits for phase 1 of done[0]",
           "the mover has filled 3 stages and the workers have changed 2; 32 of 32 threads of the workers have taken their "
           "last step, and the mover goes on. Both must take the same number of steps"},
      .lines = {"workers_stop.move"})

// One warp waits at a barrier of its own; the others are through with all of their steps. That is not the number of steps.
namespace held_elsewhere {
using Pipe = tma::Pipeline<2, Tile>;
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  struct Shared {
    Pipe::Shared     ring;
    tma::Mbarrier<1> never;
  };
  auto& s               = tma::shared<Shared>();
  auto [block, counted] = tma::this_block(s.never);
  auto& never           = counted;
  tma::specialize(
      s.ring, tma::producer_warp<2>,
      [&](auto& producer) {
        for (int i = 0; i < 5; ++i) producer.next([&](auto stage) { stage.load(from, {i * 4, 0}); });
      },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
        for (int i = 0; i < 3; ++i) consumer.next([&](const Tile& tile) { out[consumer.rank()] = tile[consumer.rank()]; });
        if (Faulty && consumer.rank() < 32) never.wait();
        for (int i = 3; i < 5; ++i) consumer.next([&](const Tile& tile) { out[consumer.rank()] = tile[consumer.rank()]; });
      });
}
}  // namespace held_elsewhere

TEST_CASE("a hang that is not about the number of steps does not say so") {
  const auto result = tma::machine::explore(
      {.schedules = 20}, [] { run<held_elsewhere::kernel<true>, held_elsewhere::kernel<false>, 128>(true); });
  const auto* report = result.find(Kind::deadlock);
  REQUIRE(report);
  INFO(report->text);
  CHECK_FALSE(contains(report->text, "different numbers of steps"));
}

namespace returns_early {
using Pipe = tma::Pipeline<2, Tile>;
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  if (Faulty && threadIdx.x >= 32) return;
  pipe.for_each(
      5, [&](auto load, int i) { load(from, {i * 4, 0}); },
      [&](const Tile& tile, int i) { out[i * 64 + threadIdx.x] = tile[threadIdx.x]; });
}
}  // namespace returns_early

FAULT(returns_early, "a warp without work returns before the loop",
      .run = run<returns_early::kernel<true>, returns_early::kernel<false>>, .kind = Kind::deadlock,
      .says = {"thread 0 waits for phase 0 of empty[0]", "1 of 2 arrivals missing"})

template <int Warps> __global__ void consumers(const __grid_constant__ Map from, int* out) {
  using Pipe = tma::Pipeline<2, Tile>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < 4; ++i) producer.next([&](auto stage) { stage.load(from, {i * 4, 0}); });  // <consumers.produce>
      },
      tma::consumer_warps<Warps>,
      [&](auto& consumer) {
        for (int i = 0; i < 4; ++i)
          consumer.next([&](const Tile& tile) { out[i * 32 + consumer.rank() % 32] = tile[consumer.rank() % 32]; });
      });
}

FAULT(too_few_warps, "the block has fewer warps than the roles need", .run = run<consumers<2>, consumers<1>>,
      .kind = Kind::rule, .says = {"the block has fewer warps than the roles need", "found 64"})

// The consumers of a role and two more warps have one named barrier.
namespace one_named_barrier {
using Pipe = tma::Pipeline<2, Tile>;
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < 4; ++i) producer.next([&](auto stage) { stage.load(from, {i * 4, 0}); });
      },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
        for (int i = 0; i < 4; ++i)
          consumer.next([&](const Tile& tile) {
            out[i * 64 + consumer.rank()] = tile[consumer.rank()];
            consumer.sync();  // <one_named_barrier.role>
          });
      },
      tma::first_named_barrier < Faulty ? 1 : 2 >);
  if (threadIdx.x >= 96)
    for (int i = 0; i < 3; ++i) ptx::sync_threads(1, 64);  // <one_named_barrier.own>
}
}  // namespace one_named_barrier

FAULT(one_named_barrier, "the kernel uses a named barrier that a role has",
      .run = run<one_named_barrier::kernel<true>, one_named_barrier::kernel<false>, 160>, .kind = Kind::diverged,
      .says = {"meets at named barrier 1, where others have met", "two users have one barrier",
               "tma::first_named_barrier<N>"})

// One user after another, which a meeting of the block orders: two loops with roles of other shapes.
namespace named_in_turn {
using Pipe = tma::Pipeline<2, Tile>;
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, int* out) {
  struct Shared {
    Pipe::Shared first, second;
  };
  auto&      s       = tma::shared<Shared>();
  const auto produce = [&](auto& producer) {
    for (int i = 0; i < 4; ++i) producer.next([&](auto stage) { stage.load(from, {i * 4, 0}); });
  };
  const auto consume = [&](auto& consumer) {
    for (int i = 0; i < 4; ++i)
      consumer.next([&](const Tile& tile) {
        consumer.sync();
        if (consumer.rank() < 32) out[i * 32 + consumer.rank()] = tile[consumer.rank()];
      });
  };
  tma::specialize(s.first, tma::producer_warp<0>, produce, tma::consumer_warps<2>, consume);
  if (threadIdx.x >= 96 && Faulty) ptx::sync_threads(1, 64);
  tma::specialize(s.second, tma::producer_warp<4>, produce, tma::consumer_warps<4>, consume);
}
}  // namespace named_in_turn

FAULT(named_in_turn, "a kernel uses the roles' named barrier after them, and no meeting lies between",
      .run = run<named_in_turn::kernel<true>, named_in_turn::kernel<false>, 160>, .kind = Kind::diverged,
      .says = {"meets at named barrier 1, where others have met", "Nothing orders that meeting before this one"})

// More warps than the roles have leave each with fewer registers.
namespace more_warps {
using Pipe = tma::Pipeline<2, Tile>;
__global__ void __launch_bounds__(512, 1) kernel(const __grid_constant__ Map from, int* out) {
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0, 40>,
      [&](auto& producer) {
        for (int i = 0; i < 4; ++i) producer.next([&](auto stage) { stage.load(from, {i * 4, 0}); });
      },
      tma::consumer_warps<8, 232>,
      [&](auto& consumer) {
        for (int i = 0; i < 4; ++i)
          consumer.next([&](const Tile& tile) {
            if (consumer.rank() < 128) out[i * 128 + consumer.rank()] = tile[consumer.rank()];
          });
      });
}
void launch(bool faulty) {
  Data d;
  tma::launch(kernel, {.grid = 1, .block = faulty ? 512 : 384}, d.from, d.out.get());
}
}  // namespace more_warps

FAULT(more_warps, "a warpgroup more than the roles whose registers move", .run = more_warps::launch, .kind = Kind::rule,
      .says = {"more threads than the roles, and so fewer registers", "found 512"})

// Warpgroups that move registers by themselves: 3 x 168 are there.
template <int Kept, int Taken> __global__ void __launch_bounds__(384, 1) moves_registers(int* out) {
  if (threadIdx.x < 128) {
    tma::shrink_registers<Kept>();
  } else {
    tma::grow_registers<Taken>();  // <moves_registers.grow>
    out[threadIdx.x] = 1;
  }
}

FAULT(takes_more_registers, "two warpgroups take more registers than the third has given back",
      .run = run<moves_registers<40, 240>, moves_registers<24, 240>, 384>, .kind = Kind::deadlock,
      .says = {"waits for 240 registers (setmaxnreg.inc)", "it has 168"}, .lines = {"moves_registers.grow"})

template <int First, int Then> __global__ void __launch_bounds__(384, 1) grows_twice(int* out) {
  if (threadIdx.x < 128) {
    tma::shrink_registers<40>();
  } else {
    tma::grow_registers<First>();
    __syncwarp();
    tma::grow_registers<Then>();  // <grows_twice.grow>
    out[threadIdx.x] = 1;
  }
}

FAULT(grows_to_fewer, "a warpgroup takes fewer registers than it has",
      .run = run<grows_twice<232, 160>, grows_twice<168, 232>, 384>, .kind = Kind::rule,
      .says = {"calls setmaxnreg.inc for 160 registers and has 232", "as many or more"}, .lines = {"grows_twice.grow"})

// A stage is a tile and a row that the producer's lanes copy themselves.
namespace mixed_stage {
template <bool Faulty> __global__ void kernel(const __grid_constant__ Map from, const int* in, int* out) {
  struct Shared {
    Tile                           tile;
    int                            row[32];
    tma::Mbarrier<Faulty ? 1 : 32> full;
  };
  auto& s            = tma::shared<Shared>();
  auto [block, full] = tma::this_block(s.full);
  ptx::describe(&s.row, sizeof s.row, "row");
  const u32 barrier = ptx::shared_address(&s.full);
  if (threadIdx.x >= 32) {
    const int lane = threadIdx.x - 32;
    s.row[lane]    = in[lane];  // <mixed_stage.write>
    if (lane == 0) {
      ptx::mbarrier_arrive_expect_tx(barrier, tile_bytes);
      ptx::tensor_load<2>(ptx::shared_address(&s.tile), tma::tensor_map(from), {{0, 0}}, barrier);
    } else if (!Faulty) {
      s.full.arrive();
    }
  } else {
    full.wait();
    out[threadIdx.x] = s.tile[threadIdx.x] + s.row[threadIdx.x];  // <mixed_stage.read>
  }
}
}  // namespace mixed_stage

FAULT(mixed_stage, "a stage that threads fill in part, and whose barrier counts the engine's part only",
      .run = run<mixed_stage::kernel<true>, mixed_stage::kernel<false>>, .kind = Kind::data_race,
      .says  = {"thread 1 reads row + 4", "thread 33 writes the same bytes", "nothing orders the two"},
      .lines = {"mixed_stage.write", "mixed_stage.read"})

}  // namespace
