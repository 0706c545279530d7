// Faults of the agreement between those who fill a ring's stages and those who use them: who comes, how often, in which
// order, and what is written when.
#include <tma/device/barrier_forms.hpp>
#include <tma/pipeline/cluster_parts.hpp>
#include <tma/pipeline/producer_group.hpp>
#include <tma/pipeline/turns.hpp>

#include <cuda_pipeline_primitives.h>

#include "faults.hpp"

using namespace faults;

namespace {

using Line = tma::Buffer<int, 32>;

// --- how many steps ------------------------------------------------------------------------------------------------

// Of two groups the second takes fewer steps, and goes past the others, or not.
enum class Fewer { skips, leaves, simply_ends, goes_on };

template <Fewer How> __global__ void groups(const __grid_constant__ Map from, int* out) {
  using Pipe = tma::Pipeline<2, Tile>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < 6; ++i) producer.next([&](auto& stage) { stage.load(from, {i * 4, 0}); });  // <groups.produce>
      },
      tma::consumer_groups<2, 1>,
      [&](auto& consumer) {
        const int  steps = consumer.group() == 1 ? 2 : 6;
        const auto use   = [&](const Tile& tile) { out[consumer.group() * 32 + consumer.rank()] = tile[consumer.rank()]; };
        for (int i = 0; i < steps; ++i) consumer.next(use);  // <groups.consume>
        if (consumer.group() == 0 || How == Fewer::simply_ends) return;
        if (How == Fewer::skips) return consumer.skip(4);
        consumer.leave();
        if (How == Fewer::goes_on) consumer.next(use);
      });
}

FAULT(group_ends, "a group of consumers ends before the other, and says so to nobody",
      .run = run<groups<Fewer::simply_ends>, groups<Fewer::skips>, 96>, .kind = Kind::deadlock,
      .says  = {"thread 0 (producer) waits for phase 1 of empty[0]", "1 of 2 arrivals missing"},
      .lines = {"groups.produce", "groups.consume"})

FAULT(group_goes_on, "a group of consumers uses a stage after it has left",
      .run = run<groups<Fewer::goes_on>, groups<Fewer::leaves>, 96>, .kind = Kind::phase_missed,
      .says = {"thread 0 (producer) waits for phase 1 of empty[0]"}, .lines = {"groups.produce"})

// Of two producers one fills a stage less.
template <bool Faulty> __global__ void producers_disagree(const __grid_constant__ Map from, int* out) {
  using Pipe = tma::Pipeline<2, Tile, Line>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producers<2>,
      [&](auto& producer) {
        const int steps = Faulty && producer.index() == 1 ? 4 : 5;
        for (int i = 0; i < steps; ++i)
          producer.next([&](auto& stage) {
            if (producer.index() == 0) stage.load(from, {i * 4, 0});
          });
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        const auto use = [&](const Tile& tile, const Line&) { out[consumer.rank()] = tile[consumer.rank()]; };
        for (int i = 0; i < 5; ++i) consumer.next(use);  // <producers_disagree.consume>
      });
}

FAULT(producers_disagree, "one of two producers takes a step less",
      .run = run<producers_disagree<true>, producers_disagree<false>, 96>, .kind = Kind::deadlock,
      .says = {"waits for phase 2 of full[0]", "1 of 2 arrivals missing"}, .lines = {"producers_disagree.consume"})

// The consumers stop when they have found what they look for. The producer has to be told, or goes on to the end.
template <bool Faulty> __global__ void found_early(const __grid_constant__ Map from, int* out) {
  using Pipe = tma::Pipeline<2, Tile>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < 8; ++i)
          producer.next([&](auto& stage) { stage.load(from, {i * 4, 0}); });  // <found_early.produce>
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        bool found = false;
        int  i     = 0;
        for (; i < 8 && !found; ++i)
          consumer.next([&](const Tile& tile) {
            out[consumer.rank()] = tile[consumer.rank()];
            found                = i == 3;
          });
        if (!Faulty) consumer.skip(8 - i);
      });
}

FAULT(found_early, "consumers stop when they have found what they look for, and the producer goes on",
      .run = run<found_early<true>, found_early<false>>, .kind = Kind::deadlock,
      .says  = {"thread 0 (producer) waits for phase 2 of empty[0]", "1 of 1 arrivals missing"},
      .lines = {"found_early.produce"})

// --- what is held --------------------------------------------------------------------------------------------------

// A consumer that keeps as many stages as there are.
template <int Kept> __global__ void keeps(const __grid_constant__ Map from, int* out) {
  using Pipe = tma::Pipeline<2, Tile>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < 5; ++i) producer.next([&](auto& stage) { stage.load(from, {i * 4, 0}); });  // <keeps.produce>
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        auto previous = consumer.none(), before = consumer.none();
        for (int i = 0; i < 5; ++i) {
          auto stage           = consumer.wait();  // <keeps.consume>
          out[consumer.rank()] = stage[tma::slot<0>][consumer.rank()];
          if (Kept == 2) before = static_cast<decltype(before)&&>(previous);
          previous = static_cast<decltype(previous)&&>(stage);
        }
      });
}

FAULT(keeps_all, "a consumer keeps as many stages as there are, and waits for the next", .run = run<keeps<2>, keeps<1>>,
      .kind  = Kind::deadlock,
      .says  = {"thread 0 (producer) waits for phase 0 of empty[0]", "waits for phase 1 of full[0]",
                "1 of 1 arrivals missing"},
      .lines = {"keeps.produce", "keeps.consume"})

// A tile is read through a reference after its stage was handed back.
template <bool Faulty> __global__ void kept_reference(const __grid_constant__ Map from, int* out) {
  using Pipe = tma::Pipeline<2, Tile>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < 5; ++i)
          producer.next([&](auto& stage) { stage.load(from, {i * 4, 0}); });  // <kept_reference.load>
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        for (int i = 0; i < 5; ++i) {
          auto        stage = consumer.wait();
          const Tile& tile  = stage[tma::slot<0>];
          if (Faulty) stage.release();
          out[consumer.rank()] = tile[consumer.rank()];  // <kept_reference.read>
          if (!Faulty) stage.release();
        }
      });
}

FAULT(kept_reference, "a tile is read through a reference after its stage was released",
      .run = run<kept_reference<true>, kept_reference<false>>, .kind = Kind::early_reuse,
      .says  = {"the load of tile 0 of stage 0", "may still be reading it", "has not released it"},
      .lines = {"kept_reference.load", "kept_reference.read"})

// Of a ring it is said that matrix units alone read it, and threads read it.
template <class... Reads> __global__ void read_by_threads(const __grid_constant__ Map from, int* out) {
  using Pipe = tma::Pipeline<2, Tile, Reads...>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < 5; ++i)
          producer.next([&](auto& stage) { stage.load(from, {i * 4, 0}); });  // <read_by_threads.load>
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        const auto use = [&](const Tile& tile) { out[consumer.rank()] = tile[consumer.rank()]; };  // <read_by_threads.read>
        for (int i = 0; i < 5; ++i) consumer.next(use);
      });
}

FAULT(read_by_threads, "threads read a ring that was made for matrix units alone",
      .run = run<read_by_threads<tma::MatrixReads>, read_by_threads<>>, .kind = Kind::unfenced_reuse,
      .says = {"the load of tile 0 of stage 0"}, .lines = {"read_by_threads.load", "read_by_threads.read"})

// Two stages are open at once where there is one.
template <int Stages> __global__ void two_open(const __grid_constant__ Map from, int* out) {
  using Pipe = tma::Pipeline<Stages, Tile>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < 4; i += 2) {
          auto first = producer.acquire();
          first.load(from, {i * 4, 0});
          auto second = producer.acquire();  // <two_open.acquire>
          second.load(from, {i * 4 + 4, 0});
        }
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        const auto use = [&](const Tile& tile) { out[consumer.rank()] = tile[consumer.rank()]; };
        for (int i = 0; i < 4; ++i) consumer.next(use);  // <two_open.consume>
      });
}

FAULT(two_open, "a producer has two stages of a ring of one open", .run = run<two_open<1>, two_open<2>>,
      .kind = Kind::deadlock, .says = {"thread 0 (producer) waits for phase 0 of empty[0]", "waits for phase 0 of full[0]"},
      .lines = {"two_open.acquire", "two_open.consume"})

// --- what threads write --------------------------------------------------------------------------------------------

enum class Writes { right, after_commit, uncounted };

// Beside the tile a warp writes a line, by plain stores or by cp.async.
template <Writes How> __global__ void written_line(const __grid_constant__ Map from, const int* in, int* out) {
  using Pipe = tma::Pipeline<2, Tile, tma::ByThreads<Line>>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warps<1>,
      [&](auto& producer) {
        for (int i = 0; i < 4; ++i) {
          auto stage = producer.acquire();
          stage.load(from, {i * 4, 0});
          int& place = stage[tma::slot<1>][producer.rank()];
          if (How == Writes::uncounted) {
            __pipeline_memcpy_async(&place, in + producer.rank(), 4);  // <written_line.copy>
            stage.commit();
          } else {
            if (How == Writes::after_commit) stage.commit();
            place = in[producer.rank()];  // <written_line.write>
          }
        }
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        for (int i = 0; i < 4; ++i)
          consumer.next([&](const Tile& tile, const Line& line) {
            out[consumer.rank()] = tile[0] + line[31 - consumer.rank()];  // <written_line.read>
          });
      });
}

FAULT(written_after_commit, "a warp writes its part of a stage after it has committed it",
      .run = run<written_line<Writes::after_commit>, written_line<Writes::right>>, .kind = Kind::data_race,
      .says = {"tile 1 of stage", "nothing orders the two"}, .lines = {"written_line.write", "written_line.read"})

FAULT(copied_uncounted, "a warp fills its part of a stage by cp.async, and the stage is not told",
      .run = run<written_line<Writes::uncounted>, written_line<Writes::right>>, .kind = Kind::unwaited_cp_async,
      .says = {"tile 1 of stage"}, .lines = {"written_line.copy", "written_line.read"})

// A value is taken by reference, and read when the stage may hold the next.
template <bool Faulty> __global__ void kept_value(const __grid_constant__ Map from, int* out) {
  using Pipe = tma::Pipeline<2, Tile, tma::Meta<int>>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < 5; ++i)
          producer.next([&](auto& stage) {
            stage.load(from, {i * 4, 0});
            stage.meta() = i;
          });
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        int        copy = 0;
        const int* kept = nullptr;
        for (int i = 0; i < 5; ++i) {
          consumer.next([&](const Tile& tile, const int& value) {
            out[consumer.rank()] = tile[consumer.rank()];
            copy                 = value;
            kept                 = &value;
          });
          out[32 + consumer.rank()] = Faulty ? *kept : copy;  // <kept_value.read>
        }
      });
}

FAULT(kept_value, "a value is read through a reference after its stage was released",
      .run = run<kept_value<true>, kept_value<false>>, .kind = Kind::data_race,
      .says = {"tile 1 of stage", "nothing orders the two"}, .lines = {"kept_value.read"})

// --- whose turn ----------------------------------------------------------------------------------------------------

// Two groups that use every second pair of stages.
template <bool Faulty> __global__ void turns(const __grid_constant__ Map from, int* out) {
  struct Shared {
    tma::Pipeline<2, Tile>::Shared ring;
    tma::Turns<2, 1>::Shared       order;
  };
  auto&            s = tma::shared<Shared>();
  tma::Turns<2, 1> order(s.order);
  tma::specialize(
      s.ring, tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < 8; ++i) producer.next([&](auto& stage) { stage.load(from, {i * 4, 0}); });  // <turns.load>
      },
      tma::taking_turns<2, 1>,
      [&](auto& consumer) {
        const auto two = [&] {
          for (int k = 0; k < 2; ++k) {
            consumer.next([&](const Tile& tile) { out[threadIdx.x] = tile[consumer.rank()]; });  // <turns.read>
          }
        };
        for (int i = 0; i < 4; ++i) {
          if (i % 2 != consumer.group()) consumer.skip(2);
          else if (Faulty) two();
          else order.take(consumer, two);
        }
      });
}

FAULT(turns_unordered, "two groups use a ring in turn, and nothing tells them whose it is",
      .run = run<turns<true>, turns<false>, 96>, .kind = Kind::unwaited_load,
      .says = {"reads tile 0 of stage", "has not waited for"}, .lines = {"turns.load", "turns.read"})

// --- loops after one another ---------------------------------------------------------------------------------------

// A ring by hand: two loops of three steps through two stages. The barriers' phases go on where the first has ended.
template <bool Faulty> __global__ void two_loops(const __grid_constant__ Map from, int* out) {
  constexpr int stages = 2, steps = 3;
  auto&         r = ring<stages>();
  for (int loop = 0; loop < 2; ++loop)
    for (int i = 0; i < steps; ++i) {
      const int at = Faulty ? i : loop * steps + i, s = at % stages, round = at / stages;
      if (threadIdx.x == 32) {
        while (!ptx::mbarrier_try_wait(r.empty_at(s), (round + 1) % 2)) {}  // <two_loops.wait>
        ptx::fence_proxy_async_shared();
        ptx::tensor_load<2>(r.tile_at(s), tma::tensor_map(from), {{0, i * 4}}, r.full_at(s));
        ptx::mbarrier_arrive_expect_tx(r.full_at(s), tile_bytes);
      }
      if (threadIdx.x < 32) {
        while (!ptx::mbarrier_try_wait(r.full_at(s), round % 2)) {}
        out[i * 32 + threadIdx.x] = r.tile[s][threadIdx.x];
        ptx::sync_warp();
        if (threadIdx.x == 0) ptx::mbarrier_arrive(r.empty_at(s));
      }
    }
}

FAULT(two_loops, "a second loop begins with the parities of the first", .run = run<two_loops<true>, two_loops<false>>,
      .kind = Kind::phase_missed, .says = {"thread 32 waits for phase -1 of empty[1]", "which is in phase 1 already"},
      .lines = {"two_loops.wait"})

// A ring by hand whose producer waits for its stages to be freed from the first round on.
template <bool Faulty> __global__ void first_round(const __grid_constant__ Map from, int* out) {
  auto& r = ring<2>();
  for (int i = 0; i < 4; ++i) {
    const int s = i % 2, round = i / 2;
    if (threadIdx.x == 32) {
      while (!ptx::mbarrier_try_wait(r.empty_at(s), (round + !Faulty) % 2)) {}  // <first_round.free>
      ptx::fence_proxy_async_shared();
      ptx::tensor_load<2>(r.tile_at(s), tma::tensor_map(from), {{0, i * 4}}, r.full_at(s));
      ptx::mbarrier_arrive_expect_tx(r.full_at(s), tile_bytes);
    }
    if (threadIdx.x < 32) {
      while (!ptx::mbarrier_try_wait(r.full_at(s), round % 2)) {}  // <first_round.full>
      out[i * 32 + threadIdx.x] = r.tile[s][threadIdx.x];
      ptx::sync_warp();
      if (threadIdx.x == 0) ptx::mbarrier_arrive(r.empty_at(s));
    }
  }
}

FAULT(first_round, "the producer and the consumers of a ring begin with the same parity",
      .run = run<first_round<true>, first_round<false>>, .kind = Kind::deadlock,
      .says  = {"thread 32 waits for phase 0 of empty[0]", "thread 0 and 31 more", "waits for phase 0 of full[0]"},
      .lines = {"first_round.free", "first_round.full"})

// --- clusters ------------------------------------------------------------------------------------------------------

using HalfMap = tma::TmaDescriptor<const int, 2, tma::slice_t<Tile, 2>>;

enum class Pair { right, one_skips, one_ends };

// Two blocks load a tile for one another.
template <Pair How> __global__ void pair(const __grid_constant__ HalfMap from, int* out) {
  using Pipe = tma::Pipeline<2, tma::SharedInCluster<Tile, tma::ClusterShape<1, 2>>>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < (How == Pair::one_ends && blockIdx.x == 1 ? 3 : 5); ++i)
          producer.next([&](auto& stage) {
            // The last tile is of no use to block 1.
            if (How != Pair::one_skips || blockIdx.x == 0 || i < 4) stage.load(from, {i * 4, 0});
          });
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        const auto use = [&](const Tile& tile) { out[int(blockIdx.x) * 32 + consumer.rank()] = tile[consumer.rank()]; };
        for (int i = 0; i < (How == Pair::one_ends && blockIdx.x == 1 ? 3 : 5); ++i) consumer.next(use);  // <pair.consume>
      });
}

template <Pair Wrong> void run_pair(bool faulty) {
  Data       d;
  const auto half =
      tma::make_descriptor<tma::slice_t<Tile, 2>>(tma::TensorView{static_cast<const int*>(d.in.get()), {rows, columns}});
  tma::launch(faulty ? pair<Wrong> : pair<Pair::right>, {.grid = 2, .block = 64, .cluster = 2}, half, d.out.get());
}

FAULT(one_block_skips, "one of two blocks leaves out its half of a tile that it does not need",
      .run = run_pair<Pair::one_skips>, .kind = Kind::deadlock, .says = {"full[0]", "256 bytes missing"},
      .lines = {"pair.consume"})

FAULT(one_block_ends, "one of two blocks that share their tiles takes fewer steps", .run = run_pair<Pair::one_ends>,
      .kind = Kind::deadlock, .says = {"full[1]", "256 bytes missing"}, .lines = {"pair.consume"})

// --- tiles that blocks share ---------------------------------------------------------------------------------------

enum class Asks { alike, another_row, another_order, another_tensor };

// Two blocks load halves of a tile for one another: the halves of one tile, or of two.
using Halves = tma::TmaDescriptor<const int, 2, tma::slice_t<Tile, 2>>;

template <Asks How>
__global__ void share(const __grid_constant__ Halves from, const __grid_constant__ Halves other, int* out) {
  using Pipe           = tma::Pipeline<2, tma::SharedInCluster<Tile, tma::ClusterShape<2>>>;
  const bool is_second = blockIdx.x == 1;
  const auto row       = [&](int i) {
    if (How == Asks::another_row && is_second && i == 3) return 4;
    if (How == Asks::another_order && is_second) return (3 - i) * 4;
    return i * 4;
  };
  const Halves& mine = How == Asks::another_tensor && is_second ? other : from;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < 4; ++i) producer.next([&](auto& stage) { stage.load(mine, {row(i), 0}); });  // <share.load>
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        const auto use = [&](const Tile& tile) { out[blockIdx.x * 32 + consumer.rank()] = tile[consumer.rank()]; };
        for (int i = 0; i < 4; ++i) consumer.next(use);
      });
}

template <Asks How> void run_share(bool faulty) {
  Data       d;
  const auto map = [](const int* p) {
    return tma::make_descriptor<tma::slice_t<Tile, 2>>(tma::TensorView{p, {rows, columns}});
  };
  const gpu::Array<int> more(gpu::random_values<int>(elements, 2));
  tma::launch(faulty ? share<How> : share<Asks::alike>, {.grid = 2, .block = 64, .cluster = 2}, map(d.in.get()),
              map(more.get()), d.out.get());
}

FAULT(share_another_row, "a block asks for another tile than the one that it shares", .run = run_share<Asks::another_row>,
      .kind  = Kind::different_tiles,
      .says  = {"tile 0 of stage 1 of block", "at {12, 0}", "at {4, 0}", "in phase 1 of full[1] of block",
                "must ask for the same tile in the same step", "Fix: "},
      .lines = {"share.load"})

FAULT(share_another_order, "two blocks take the steps of a ring that they share in two orders",
      .run = run_share<Asks::another_order>, .kind = Kind::different_tiles,
      .says  = {"tile 0 of stage 0 of block", "at {0, 0}", "at {12, 0}", "in phase 0 of full[0] of block"},
      .lines = {"share.load"})

FAULT(share_another_tensor, "a block loads its part of a tile that it shares from another tensor",
      .run = run_share<Asks::another_tensor>, .kind = Kind::different_tiles,
      .says = {"through descriptors of different tensors"}, .lines = {"share.load"})

}  // namespace
