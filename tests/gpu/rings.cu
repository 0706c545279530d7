// Rings under strain: lanes that are late, consumers that free a stage by threads or by warps, producers that run into the
// end of the ring, sequences without a step, and barriers beside the ring's own.
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile = tma::Tile<int, tma::Shape<4, 32>>;
using Map  = tma::TmaDescriptor<const int, 2, Tile>;

constexpr int tiles = 64;  // of the tensor, one below the other

std::vector<int> numbered(int n) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[i] = i;
  return v;
}

Map map_of(const gpu::Array<int>& in) {
  return tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {tiles * 4, 32}});
}

__device__ int expected(int i, int k) { return i % tiles * Tile::size + k; }

// One thread is late in every step: the others of its warp, and the engine, wait for it before the stage is filled again.
template <bool Roles> __global__ void late(const __grid_constant__ Map from, int* wrong, int steps, int late_thread) {
  using Pipe       = tma::Pipeline<2, Tile>;
  auto&      ring  = tma::shared<Pipe::Shared>();
  const auto check = [&](const Tile& tile, int i) {
    if (int(threadIdx.x) == late_thread) __nanosleep(20000);
    for (int k = int(threadIdx.x) % 32; k < Tile::size; k += 32)
      if (tile[k] != expected(i, k)) atomicAdd(wrong, 1);
  };
  if constexpr (Roles) {
    tma::specialize(
        ring, tma::producer_warp<0>,
        [&](auto& producer) {
          for (int i = 0; i < steps; ++i) {
            if (late_thread >= 0 && late_thread < 32) __nanosleep(20000);
            producer.next([&](auto stage) { stage.load(from, {i % tiles * 4, 0}); });
          }
        },
        tma::consumer_warps<2>,
        [&](auto& consumer) {
          for (int i = 0; i < steps; ++i) consumer.next([&](const Tile& tile) { check(tile, i); });
        });
  } else {
    Pipe pipe(ring);
    pipe.for_each(steps, [&](auto load, int i) { load(from, {i % tiles * 4, 0}); }, check);
  }
}

// A ring made by hand. Its stages are freed by every consuming thread, or by one of each warp.
template <int Groups, int GroupThreads, bool ByWarps>
__global__ void groups(const __grid_constant__ Map from, long long* sums, int steps, int slow_group) {
  constexpr int consumers = Groups * GroupThreads;
  using Free              = tma::Mbarrier<ByWarps ? consumers / 32 : consumers>;
  struct Shared {
    Tile             tile[3];
    tma::LoadBarrier full[3];
    Free             free[3];
  };
  auto& s = tma::shared<Shared>();
  auto [block, full0, full1, full2, free0, free1, free2] =
      tma::this_block(s.full[0], s.full[1], s.full[2], s.free[0], s.free[1], s.free[2]);
  const int me = block.rank() - 32;
  if (me < 0) {
    if (auto issuer = block.elect()) {
      const auto fill = [&](int i, auto& full, auto& free) {
        if (i >= steps) return;
        if (i >= 3) free.wait_to_refill();
        issuer.load(from, {i % tiles * 4, 0}, s.tile[i % 3], full);
      };
      for (int i = 0; i < steps; i += 3) {
        fill(i, full0, free0);
        fill(i + 1, full1, free1);
        fill(i + 2, full2, free2);
      }
    }
  } else {
    long long  sum = 0;
    const auto use = [&](int i, auto& full) {
      if (i >= steps) return;
      full.wait();
      if (me / GroupThreads == slow_group) __nanosleep(1000);
      for (int k = 0; k < Tile::size; ++k) sum += (long long)(s.tile[i % 3][k]) * (i + 1);
      if constexpr (ByWarps) {
        __syncwarp();
        if (me % 32 == 0) s.free[i % 3].arrive();
      } else {
        s.free[i % 3].arrive();
      }
    };
    for (int i = 0; i < steps; i += 3) {
      use(i, full0);
      use(i + 1, full1);
      use(i + 2, full2);
    }
    sums[me] = sum;
  }
}

template <int Groups, int GroupThreads, bool ByWarps> void check_groups(const Map& from) {
  for (int steps : {1, 3, 4, 100})
    for (int slow : {-1, 0, Groups - 1}) {
      if (gpu::small_runs() && steps > 4) steps = 8;
      constexpr int         consumers = Groups * GroupThreads;
      gpu::Array<long long> sums(consumers);
      tma::launch(groups<Groups, GroupThreads, ByWarps>, {.grid = 1, .block = 32 + consumers}, from, sums.get(), steps,
                  slow);
      gpu::finish();
      long long sum = 0;
      for (int i = 0; i < steps; ++i)
        for (int k = 0; k < Tile::size; ++k) sum += (long long)(i % tiles * Tile::size + k) * (i + 1);
      INFO(Groups << " groups of " << GroupThreads << ", slow " << slow << ", " << steps << " steps");
      REQUIRE(sums.download() == std::vector<long long>(consumers, sum));
    }
}

// Nobody takes a stage until all are filled, and for a while after: the producer fills none a second time.
__global__ void stalled(const __grid_constant__ Map from, int* filled, int* wrong, int steps) {
  constexpr int stages = 6;
  using Pipe           = tma::Pipeline<stages, Tile>;
  struct Shared {
    Pipe::Shared ring;
    int          filled;
  };
  auto& s = tma::shared<Shared>();
  if (threadIdx.x == 0) s.filled = 0;
  __syncthreads();
  tma::specialize(
      s.ring, tma::producer_warp<1>,
      [&](auto& producer) {
        for (int i = 0; i < steps; ++i) {
          producer.next([&](auto stage) { stage.load(from, {i * 4, 0}); });
          atomicAdd(&s.filled, 1);
        }
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        if (consumer.rank() == 0) {
          while (atomicAdd(&s.filled, 0) < (steps < stages ? steps : stages)) {}
          for (int i = 0; i < 10; ++i) __nanosleep(20000);
          *filled = atomicAdd(&s.filled, 0);
        }
        consumer.sync();
        for (int i = 0; i < steps; ++i)
          consumer.next([&](const Tile& tile) {
            for (int k = consumer.rank(); k < Tile::size; k += consumer.size())
              if (tile[k] != expected(i, k)) atomicAdd(wrong, 1);
          });
      });
}

using Row = tma::Tile<int, tma::Shape<1, 32>>;

// A sequence of rows a block, four rows a step: the sum of its rows, which for none is zero, is stored by the engine.
template <bool Roles>
__global__ void sequences(const __grid_constant__ Map from, const __grid_constant__ tma::TmaDescriptor<int, 2, Row> to,
                          const int* first_row) {
  using Pipe = tma::Pipeline<3, Tile>;
  struct Shared {
    Pipe::Shared ring;
    Row          sum;
  };
  auto&      s     = tma::shared<Shared>();
  const int  first = first_row[blockIdx.x], rows = first_row[blockIdx.x + 1] - first, steps = (rows + 3) / 4;
  const int  column = int(threadIdx.x) % 32;
  int        sum    = 0;
  const auto add    = [&](const Tile& tile, int i) {
    for (int r = 0; r < 4 && i * 4 + r < rows; ++r) sum += tile(r, column);
  };
  const auto store = [&](auto& group) {
    s.sum[column] = sum;
    auto ready    = group.publish(s.sum);
    if (auto issuer = group.elect()) issuer.store(to, {int(blockIdx.x), 0}, ready);
  };
  if constexpr (Roles) {
    tma::specialize(
        s.ring, tma::producer_warp<1>,
        [&](auto& producer) {
          for (int i = 0; i < steps; ++i) producer.next([&](auto stage) { stage.load(from, {first + i * 4, 0}); });
        },
        tma::consumer_warps<1>,
        [&](auto& consumer) {
          for (int i = 0; i < steps; ++i) consumer.next([&](const Tile& tile) { add(tile, i); });
          store(consumer);
        });
  } else {
    auto block = tma::this_block();
    Pipe pipe(s.ring);
    pipe.for_each(steps, [&](auto load, int i) { load(from, {first + i * 4, 0}); }, add);
    store(block);
  }
}

// Four barriers, each used in one step only, and one that is used in every step: each counts phases of its own, whatever the
// ring of three has come to.
__global__ void beside(const __grid_constant__ Map from, int* wrong, int steps) {
  using Pipe = tma::Pipeline<3, Tile>;
  struct Shared {
    Pipe::Shared     ring;
    Tile             once, each;
    tma::LoadBarrier first, second, third, fourth, every;
  };
  auto&      s        = tma::shared<Shared>();
  auto       places   = tma::this_block(s.first, s.second, s.third, s.fourth, s.every);
  const auto is_right = [&](const Tile& tile, int i) {
    for (int k = int(threadIdx.x); k < Tile::size; k += int(blockDim.x))
      if (tile[k] != expected(i, k)) atomicAdd(wrong, 1);
  };
  Pipe pipe(s.ring);
  pipe.for_each(
      steps, [&](auto load, int i) { load(from, {i % tiles * 4, 0}); },
      [&](const Tile& tile, int i) {
        auto& [block, first, second, third, fourth, every] = places;
        const auto load_once                               = [&](auto& issuer, auto& phase) {
          issuer.load(from, {(i + 9) % tiles * 4, 0}, s.once, phase);
        };
        if (auto issuer = block.elect()) {
          issuer.load(from, {(i + 5) % tiles * 4, 0}, s.each, every);
          if (i == 0) load_once(issuer, first);
          if (i == 1) load_once(issuer, second);
          if (i == 2) load_once(issuer, third);
          if (i == 3) load_once(issuer, fourth);
        }
        is_right(tile, i);
        every.wait();
        is_right(s.each, i + 5);
        if (i == 0) first.wait();
        if (i == 1) second.wait();
        if (i == 2) third.wait();
        if (i == 3) fourth.wait();
        if (i < 4) is_right(s.once, i + 9);
        block.release(s.each);
      });
}

}  // namespace

TEST_CASE("a lane that is late in every step delays its ring, and no more") {
  gpu::Array<int> in(numbered(tiles * Tile::size)), wrong(std::vector<int>{0});
  const int       steps = gpu::scaled(1000, 20);
  for (int thread : {-1, 0, 1, 31, 32, 63, 95}) {
    tma::launch(late<false>, {.grid = 2, .block = 96}, map_of(in), wrong.get(), steps, thread);
    tma::launch(late<true>, {.grid = 2, .block = 96}, map_of(in), wrong.get(), steps, thread);
    gpu::finish();
    REQUIRE(wrong.download()[0] == 0);
  }
}

TEST_CASE("a stage is free when every consumer has said so, by threads or by warps") {
  gpu::Array<int> in(numbered(tiles * Tile::size));
  const Map       from = map_of(in);
  check_groups<1, 32, false>(from);
  check_groups<1, 32, true>(from);
  check_groups<1, 128, false>(from);
  check_groups<1, 128, true>(from);
  check_groups<2, 128, false>(from);
  check_groups<2, 128, true>(from);
}

TEST_CASE("a producer that is ahead of everybody fills each stage once") {
  gpu::Array<int> in(numbered(tiles * Tile::size)), filled(std::vector<int>{-1}), wrong(std::vector<int>{0});
  for (int steps : {0, 1, 5, 6, 7, 12, 64}) {
    tma::launch(stalled, {.grid = 1, .block = 64}, map_of(in), filled.get(), wrong.get(), steps);
    gpu::finish();
    INFO(steps << " steps");
    CHECK(filled.download()[0] == (steps < 6 ? steps : 6));
    CHECK(wrong.download()[0] == 0);
  }
}

TEST_CASE("sequences of any length, and of none") {
  gpu::Array<int> in(numbered(tiles * Tile::size));
  for (const std::vector<int>& lengths : {std::vector<int>{0, 1, 0, 65, 0}, {0}, {0, 0, 0}, {1, 2, 3, 4, 5, 0, 8, 63}}) {
    const int        n = int(lengths.size());
    std::vector<int> first{0}, sums(n * 32);
    for (int b = 0; b < n; ++b) {
      first.push_back(first[b] + lengths[b]);
      for (int r = first[b]; r < first[b + 1]; ++r)
        for (int k = 0; k < 32; ++k) sums[b * 32 + k] += r * 32 + k;
    }
    gpu::Array<int> rows(first), out(n * 32);
    const auto      to = tma::make_descriptor<Row>(tma::TensorView{out.get(), {n, 32}});
    tma::launch(sequences<false>, {.grid = n, .block = 32}, map_of(in), to, static_cast<const int*>(rows.get()));
    gpu::finish();
    CHECK(out.download() == sums);
    out.fill(0xee);
    tma::launch(sequences<true>, {.grid = n, .block = 64}, map_of(in), to, static_cast<const int*>(rows.get()));
    gpu::finish();
    CHECK(out.download() == sums);
  }
}

TEST_CASE("barriers beside a ring count for themselves") {
  gpu::Array<int> in(numbered(tiles * Tile::size)), wrong(std::vector<int>{0});
  for (int steps : {1, 3, 4, 5, 100}) {
    tma::launch(beside, {.grid = 3, .block = 64}, map_of(in), wrong.get(), steps);
    gpu::finish();
    REQUIRE(wrong.download()[0] == 0);
  }
}
