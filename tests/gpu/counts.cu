// Counts of 64 bits: as many steps as asked for, those of a negative count none. Cut to 32 bits each of these would be another
// number that is as good: 2^32 + 3 would be 3, 3 - 2^32 as well.
#include <tma/device/cluster.hpp>
#include <tma/pipeline/in_place_roles.hpp>
#include <tma/pipeline/static_tiles.hpp>
#include <tma/pipeline/turns.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

constexpr long long large = (1ll << 32) + 3, negative = 3 - (1ll << 32);

using Tile = tma::Tile<int, tma::Shape<4, 32>>;
using Map  = tma::TmaDescriptor<const int, 2, Tile>;
using Out  = tma::TmaDescriptor<int, 2, Tile>;

constexpr int tiles = 4;

struct Data {
  gpu::Array<int>       in{numbers()}, out{std::vector<int>(Tile::size * tiles, 0)}, wrong{std::vector<int>{0}};
  gpu::Array<long long> taken{std::vector<long long>{0}};
  Map map = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {4 * tiles, 32}});
  Out to  = tma::make_descriptor<Tile>(tma::TensorView{out.get(), {4 * tiles, 32}});

  static std::vector<int> numbers() {
    std::vector<int> n(Tile::size * tiles);
    for (std::size_t i = 0; i < n.size(); ++i) n[i] = int(i);
    return n;
  }
};

// The first ten steps of a walk: `tile` of `walk`, and of `next()`.
template <int Cluster> __global__ void walk_far(long long count, int* wrong) {
  const long long                      first = blockIdx.x, step = gridDim.x;
  tma::StaticTiles<Cluster, long long> walk(count), stepwise(count);
  long long                            taken = 0;
  for (const auto tile : walk) {
    static_assert(sizeof tile == 8);
    if (tile != first + taken * step) atomicAdd(wrong, 1);
    if (stepwise.next() != tma::TileOrEnd64(tile)) atomicAdd(wrong, 1);
    if (++taken == 10) break;
  }
  if (taken != (count > 0 ? 10 : 0)) atomicAdd(wrong, 1);
}

// Every tile is counted once, so many in all.
__global__ void walk_all(unsigned long count, unsigned long long* tiles_seen) {
  unsigned long long mine = 0;
  for (const auto tile : tma::StaticTiles(count)) mine += tile >= 0;
  atomicAdd(tiles_seen, mine);
}

template <class Count> __global__ void steps_of(const __grid_constant__ Map map, Count n, long long* taken, int* wrong) {
  using Pipe = tma::Pipeline<3, Tile>;
  Pipe      pipe(tma::shared<Pipe::Shared>());
  long long next = 0;
  pipe.for_each(
      n, [&](auto load, auto i) { load(map, {int(i % tiles) * 4, 0}); },
      [&](const Tile& tile, auto i) {
        static_assert(sizeof i == sizeof n || sizeof n < 4);
        if (i != next++ || tile[threadIdx.x] != int(i % tiles) * Tile::size + int(threadIdx.x)) atomicAdd(wrong, 1);
      });
  if (threadIdx.x == 0) *taken = next;
}

template <class Count>
__global__ void changes_of(const __grid_constant__ Map map, const __grid_constant__ Out to, Count n, long long* taken) {
  using Pipe = tma::InPlacePipeline<3, Tile>;
  Pipe      pipe(tma::shared<Pipe::Shared>());
  long long next = 0;
  pipe.for_each(
      n, [&](auto load, auto i) { load(map, {int(i % tiles) * 4, 0}); },
      [&](Tile& tile, auto) { ++next, ++tile[threadIdx.x]; },
      [&](auto store, auto i) { store(to, {int(i % tiles) * 4, 0}); });
  if (threadIdx.x == 0) *taken = next;
}

template <class Count>
__global__ void moves_of(const __grid_constant__ Map map, const __grid_constant__ Out to, Count n, long long* taken) {
  using Pipe = tma::InPlacePipeline<3, Tile>;
  tma::transform(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& mover) {
        *taken = 0;
        mover.for_each(
            n, [&](auto load, auto i) { load(map, {int(i % tiles) * 4, 0}); },
            [&](auto store, auto i) { store(to, {int(i % tiles) * 4, 0}), ++*taken; });
      },
      tma::consumer_warps<1>,
      [&](auto& worker) {
        for (Count i = 0; i < n; ++i) worker.next([&](Tile& tile) { ++tile[worker.rank()]; });
      });
}

// Groups go past the other's stages: `more` stages further each time, which is a whole number of rounds, twice over.
template <int Stages> __global__ void skips(const __grid_constant__ Map map, int n, long long more, int* wrong) {
  using Pipe = tma::Pipeline<Stages, Tile>;
  struct Shared {
    typename Pipe::Shared             ring;
    typename tma::Turns<2, 1>::Shared order;
  };
  auto&            s = tma::shared<Shared>();
  tma::Turns<2, 1> turns(s.order);
  tma::specialize(
      s.ring, tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < n; ++i) producer.next([&](auto& stage) { stage.load(map, {i % tiles * 4, 0}); });
      },
      tma::taking_turns<2, 1>,
      [&](auto& consumer) {
        for (int i = 0; i < n; ++i) {
          if (i % 2 != consumer.group()) {
            consumer.skip(more + 1);
            continue;
          }
          turns.take(consumer, [&] {
            consumer.next([&](const Tile& tile) {
              if (tile[consumer.rank()] != i % tiles * Tile::size + consumer.rank()) atomicAdd(wrong, 1);
            });
          });
        }
      });
}

// A consumer that uses each stage goes past them one by one: none for a negative number.
__global__ void skips_each(const __grid_constant__ Map map, int n, long long steps, int* wrong) {
  using Pipe = tma::Pipeline<2, Tile>;
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < n; ++i) producer.next([&](auto& stage) { stage.load(map, {i % tiles * 4, 0}); });
      },
      tma::consumer_warps<1>,
      [&](auto& consumer) {
        consumer.skip(steps);
        for (int i = int(steps); i < n; ++i)
          consumer.next([&](const Tile& tile) {
            if (tile[consumer.rank()] != i % tiles * Tile::size + consumer.rank()) atomicAdd(wrong, 1);
          });
      });
}

template <class Count> void check_steps(Count n, long long steps) {
  Data d;
  tma::launch(steps_of<Count>, {.grid = 1, .block = 64}, d.map, n, d.taken.get(), d.wrong.get());
  gpu::finish();
  CHECK(d.taken.download()[0] == steps);
  tma::launch(changes_of<Count>, {.grid = 1, .block = 64}, d.map, d.to, n, d.taken.get());
  gpu::finish();
  CHECK(d.taken.download()[0] == steps);
  tma::launch(moves_of<Count>, {.grid = 1, .block = 64}, d.map, d.to, n, d.taken.get());
  gpu::finish();
  CHECK(d.taken.download()[0] == steps);
  CHECK(d.wrong.download()[0] == 0);
}

}  // namespace

TEST_CASE("static tiles of a 64-bit count go past 2^32", "[gpu]") {
  Data d;
  for (const long long count : {large, negative, 0ll}) {
    tma::launch(walk_far<1>, {.grid = 3, .block = 32}, count, d.wrong.get());
    tma::launch(walk_far<2>, {.grid = 4, .block = 32, .cluster = 2}, count, d.wrong.get());
    tma::launch(walk_far<0>, {.grid = 4, .block = 32, .cluster = 2}, count, d.wrong.get());
    gpu::finish();
  }
  CHECK(d.wrong.download()[0] == 0);
}

TEST_CASE("static tiles of a 64-bit count: all of them", "[gpu]") {
  if (gpu::small_runs()) return;
  gpu::Array<unsigned long long> seen(std::vector<unsigned long long>{0});
  tma::launch(walk_all, {.grid = 1 << 20, .block = 1}, static_cast<unsigned long>(large), seen.get());
  gpu::finish();
  CHECK(seen.download()[0] == static_cast<unsigned long long>(large));
}

TEST_CASE("loops of a 64-bit count", "[gpu]") {
  for (const int n : {0, 1, 2, 3, 7, 20, -1}) {
    INFO(n << " steps");
    check_steps<int>(n, n > 0 ? n : 0);
    check_steps<long long>(n, n > 0 ? n : 0);
    if (n >= 0) check_steps<unsigned long>(n, n);
    check_steps<short>(short(n), n > 0 ? n : 0);
  }
  check_steps<long long>(negative, 0);
  check_steps<long>(negative, 0);
}

TEST_CASE("groups that take turns go past more than 2^32 stages", "[gpu]") {
  Data d;
  for (const int n : {1, 2, 7, 16}) {
    // Multiples of two rounds: 6 stages, 2 stages.
    tma::launch(skips<3>, {.grid = 1, .block = 96}, d.map, n, (1ll << 32) + 2, d.wrong.get());
    tma::launch(skips<1>, {.grid = 1, .block = 96}, d.map, n, 1ll << 33, d.wrong.get());
    gpu::finish();
  }
  CHECK(d.wrong.download()[0] == 0);
}

TEST_CASE("a consumer goes past stages that are counted in 64 bits", "[gpu]") {
  Data d;
  for (const long long steps : {0, 1, 5}) {
    tma::launch(skips_each, {.grid = 1, .block = 64}, d.map, 7, steps, d.wrong.get());
    gpu::finish();
  }
  CHECK(d.wrong.download()[0] == 0);
}
