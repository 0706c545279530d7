// Tiles for blocks and clusters that stay: each tile once, whatever the count, launch after launch, and beside a pipeline.
#include <tma/core/grouped_raster.hpp>
#include <tma/device/cluster.hpp>
#include <tma/pipeline/atomic_tiles.hpp>
#include <tma/pipeline/claimed_blocks.hpp>
#include <tma/pipeline/cluster_parts.hpp>
#include <tma/pipeline/static_tiles.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

std::vector<int> counts_for(int blocks) { return {0, 1, 2, blocks - 1, blocks, blocks + 1, 2 * blocks, 13, 97, 211, -5}; }

void require_each_once(const gpu::Array<int>& visits, int count) {
  std::vector<int> once(visits.size(), 0);
  for (int i = 0; i < count; ++i) once[i] = 1;
  REQUIRE(visits.download() == once);
}

// --- static ----------------------------------------------------------------------------------------------------------

__global__ void visit_static(int count, int* visits, int* wrong) {
  auto stepwise = tma::StaticTiles(count);
  for (int tile : tma::StaticTiles(count)) {
    if (stepwise.next() != tma::TileOrEnd(tile)) atomicAdd(wrong, 1);
    if (threadIdx.x == 0) atomicAdd(&visits[tile], 1);
  }
  if (stepwise.next() || stepwise.next()) atomicAdd(wrong, 1);
}

// `steps` of each block: the same in all blocks of a cluster.
template <int Size> __global__ void visit_static_clusters(int count, int* visits, int* steps) {
  const int block   = int((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x);
  auto      cluster = tma::this_cluster<Size>();
  int       taken   = 0;
  for (int tile : tma::StaticTiles<Size>(count)) {
    if (threadIdx.x == 0 && tile < count) atomicAdd(&visits[tile], 1);
    cluster.sync();  // stands still where one block takes more steps than another
    ++taken;
    if (tile % cluster.size() != cluster.rank()) taken += 1000;
  }
  if (threadIdx.x == 0) steps[block] = taken;
}

// The first and the last tiles of a walk that goes as far as an int does.
__global__ void walk_far(int count, int* last, int* steps) {
  int taken = 0, tile = -1;
  for (int t : tma::StaticTiles(count)) ++taken, tile = t;
  last[blockIdx.x]  = tile;
  steps[blockIdx.x] = taken;
}

template <int Size> void check_static_clusters(tma::Extent3 grid, tma::Extent3 cluster, int blocks, int size) {
  for (int count : counts_for(blocks)) {
    INFO("clusters of " << size << ", " << blocks << " blocks, " << count << " tiles");
    const int       tiles = count < 0 ? 0 : count, clusters = blocks / size, units = (tiles + size - 1) / size;
    gpu::Array<int> visits(std::vector<int>(700, 0)), steps(blocks);
    tma::launch(visit_static_clusters<Size>, {.grid = grid, .block = 64, .cluster = cluster}, count, visits.get(),
                steps.get());
    gpu::finish();
    require_each_once(visits, tiles);
    // With one dimension cluster c has the blocks c * size ...
    std::vector<int> expected(blocks);
    for (int b = 0; b < blocks; ++b) expected[b] = (units - b / size + clusters - 1) / clusters;
    if (grid.y.value == 1) REQUIRE(steps.download() == expected);
  }
}

}  // namespace

TEST_CASE("static tiles: each once, by grids of any shape") {
  struct Case {
    tma::Extent3 grid;
    int          blocks;
  };
  for (const Case& c : {Case{1, 1}, Case{7, 7}, Case{{3, 4}, 12}, Case{{2, 3, 2}, 12}, Case{132, 132}})
    for (int count : counts_for(c.blocks)) {
      INFO(c.blocks << " blocks, " << count << " tiles");
      gpu::Array<int> visits(std::vector<int>(700, 0)), wrong(std::vector<int>{0});
      tma::launch(visit_static, {.grid = c.grid, .block = 32}, count, visits.get(), wrong.get());
      gpu::finish();
      require_each_once(visits, count < 0 ? 0 : count);
      REQUIRE(wrong.download()[0] == 0);
    }
}

TEST_CASE("static tiles of clusters: each once, and as many steps in every block of a cluster") {
  check_static_clusters<1>(5, 1, 5, 1);
  check_static_clusters<2>(6, 2, 6, 2);
  check_static_clusters<4>(12, 4, 12, 4);
  check_static_clusters<4>({4, 6}, {2, 2}, 24, 4);
  check_static_clusters<3>(9, 3, 9, 3);
  check_static_clusters<0>(8, 4, 8, 4);
  check_static_clusters<0>(3, 1, 3, 1);
}

TEST_CASE("static tiles: as many as an int counts, and no step goes past them") {
  constexpr int blocks = 48, count = 2147483647;
  // The walk itself would be long: it begins where it ends, with a grid of nearly as many blocks as there are tiles.
  for (int few : {1, 5, blocks}) {
    gpu::Array<int> last(blocks), steps(blocks);
    last.fill(0), steps.fill(0);
    tma::launch(walk_far, {.grid = few, .block = 1}, few * 3 + 1, last.get(), steps.get());
    gpu::finish();
    const auto l = last.download(), s = steps.download();
    for (int b = 0; b < few; ++b) {
      REQUIRE(s[b] == 3 + (b == 0));
      REQUIRE(l[b] == (b == 0 ? few * 3 : few * 2 + b));
    }
  }
#if !defined(TMA_MACHINE)  // two thousand million steps by 1056 blocks of one thread take a device milliseconds
  const int       wide = 1056;
  gpu::Array<int> last(wide), steps(wide);
  tma::launch(walk_far, {.grid = wide, .block = 1}, count, last.get(), steps.get());
  gpu::finish();
  const auto l = last.download(), s = steps.download();
  for (int b = 0; b < wide; ++b) {
    const long long taken = (count - 1LL - b) / wide + 1;
    REQUIRE(s[b] == taken);
    REQUIRE(l[b] == b + (taken - 1) * wide);
  }
#else
  (void)count;
#endif
}

// --- by demand -------------------------------------------------------------------------------------------------------

namespace {

// `way`: step by step, in one loop, or in loops that are left and taken up again.
__global__ void visit_atomic(int count, unsigned* counter, int* visits, int way) {
  if (threadIdx.x != 0) return;
  tma::AtomicTiles tiles(count, counter);
  const auto       visit = [&](int tile) {
    if (int(blockIdx.x) % 5 == way) __nanosleep(5000);
    atomicAdd(&visits[tile], 1);
  };
  if (way == 0) {
    while (auto tile = tiles.next()) visit(tile.index());
  } else if (way == 1) {
    for (int tile : tiles) visit(tile);
  } else {
    for (int tile : tiles) {
      visit(tile);
      if (tile % 3 == 0) break;
    }
    if (auto tile = tiles.next()) visit(tile.index());
    for (int tile : tiles) visit(tile);
  }
  for (int tile : tiles) atomicAdd(&visits[tile], 1000);
  if (tiles.next() || tiles.next()) atomicAdd(&visits[0], 1000);
}

// All threads of a block hear of every tile.
__global__ void visit_together(int count, unsigned* counter, int* visits) {
  auto             block = tma::this_block();
  auto&            place = tma::shared<tma::TileOrEnd>();
  tma::AtomicTiles tiles(count, counter);
  while (auto tile = tiles.next(block, place)) atomicAdd(&visits[tile.index()], 1);
}

template <int Size> __global__ void visit_atomic_clusters(int count, unsigned* counter, int* visits, int slow) {
  using Tiles = tma::AtomicTiles<Size>;
  struct Shared {
    typename Tiles::Shared tiles;
    tma::TileOrEnd         place;
  };
  auto& s       = tma::shared<Shared>();
  auto  cluster = tma::this_cluster<Size>();
  Tiles tiles(count, counter, s.tiles);
  for (;;) {
    if (threadIdx.x == 0) {
      if (slow && cluster.rank() == slow - 1) __nanosleep(3000);
      s.place = tiles.next();
    }
    cluster.sync();  // stands still where one block takes more steps than another
    const auto tile = s.place;
    cluster.sync();
    if (!tile) break;
    if (tile.index() % Size != cluster.rank()) atomicAdd(&visits[0], 1000);
    if (threadIdx.x == 0 && tile.index() < count) atomicAdd(&visits[tile.index()], 1);
  }
}

// As fast as numbers can be taken: the blocks of a cluster meet only through them.
template <int Size> __global__ void visit_at_once(int count, unsigned* counter, int* visits) {
  using Tiles = tma::AtomicTiles<Size>;
  Tiles tiles(count, counter, tma::shared<typename Tiles::Shared>());
  if (threadIdx.x == 0)
    for (int tile : tiles)
      if (tile < count) atomicAdd(&visits[tile], 1);
}

template <class Launch> void check_atomic(int blocks, Launch launch) {
  gpu::Array<unsigned> counter(std::vector<unsigned>{0});
  for (int repeat = 0; repeat < 2; ++repeat)
    for (int count : counts_for(blocks)) {
      INFO(blocks << " blocks, " << count << " tiles, repeat " << repeat);
      gpu::Array<int> visits(std::vector<int>(700, 0));
      launch(count, counter.get(), visits.get());
      gpu::finish();
      require_each_once(visits, count < 0 ? 0 : count);
      REQUIRE(counter.download()[0] == 0);  // ready for the next launch
    }
}

template <int Size> void check_atomic_clusters(int blocks) {
  check_atomic(blocks, [&](int count, unsigned* counter, int* visits) {
    tma::launch(visit_atomic_clusters<Size>, {.grid = blocks, .block = 64, .cluster = Size}, count, counter, visits,
                (count + 100) % (Size + 1));
  });
  check_atomic(blocks, [&](int count, unsigned* counter, int* visits) {
    tma::launch(visit_at_once<Size>, {.grid = blocks, .block = 32, .cluster = Size}, count, counter, visits);
  });
}

}  // namespace

TEST_CASE("tiles by demand: each once, launch after launch, and the counter is back at 0") {
  for (int blocks : {1, 2, 7, 132, 300})
    check_atomic(blocks, [&](int count, unsigned* counter, int* visits) {
      tma::launch(visit_atomic, {.grid = blocks, .block = 32}, count, counter, visits, count % 3);
    });
}

TEST_CASE("tiles by demand for all threads of a block") {
  gpu::Array<unsigned> counter(std::vector<unsigned>{0});
  for (int count : counts_for(5)) {
    gpu::Array<int> visits(std::vector<int>(700, 0));
    tma::launch(visit_together, {.grid = 5, .block = 96}, count, counter.get(), visits.get());
    gpu::finish();
    std::vector<int> expected(700, 0);
    for (int i = 0; i < count; ++i) expected[i] = 96;
    REQUIRE(visits.download() == expected);
  }
  CHECK(counter.download()[0] == 0);
}

TEST_CASE("tiles by demand of clusters: each once, and as many steps in every block of a cluster") {
  check_atomic_clusters<1>(5);
  check_atomic_clusters<2>(6);
  check_atomic_clusters<3>(9);
  check_atomic_clusters<4>(12);
}

// --- beside a pipeline -----------------------------------------------------------------------------------------------

namespace {

using Tile = tma::Tile<int, tma::Shape<4, 32>>;
using Map  = tma::TmaDescriptor<const int, 2, Tile>;

// Tile `t` of the work is a sum over 1 to 4 tiles of the tensor.
__host__ __device__ int      steps_of(int t) { return 1 + t * 5 % 4; }
__host__ __device__ int      row_of(int t, int k) { return (t * 4 + k) * 4; }
__host__ __device__ unsigned term(int element, int k) { return unsigned(element) * unsigned(2 * k + 1); }

struct Work {
  tma::TileOrEnd tile;
  int            k;
};

// The producer asks, and each stage says what it is. `Size`: blocks in a cluster.
template <int Stages, int Size>
__global__ void sum_by_demand(const __grid_constant__ Map in, int count, unsigned* counter, unsigned* out) {
  using Pipe  = tma::Pipeline<Stages, Tile, tma::Meta<Work>>;
  using Tiles = tma::AtomicTiles<Size>;
  struct Shared {
    typename Pipe::Shared  ring;
    typename Tiles::Shared tiles;
  };
  auto& s = tma::shared<Shared>();
  Tiles tiles(count, counter, s.tiles);
  tma::specialize(
      s.ring, tma::producer_warp<0>,
      [&](auto& producer) {
        while (auto tile = tiles.next())
          for (int k = 0; k < steps_of(tile.index()); ++k)
            producer.next([&](auto& stage) {
              stage.meta() = Work{tile, k};
              stage.load(in, {row_of(tile.index(), k), 0});
            });
        producer.next([&](auto& stage) { stage.meta() = Work{}; });  // no more
      },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
        bool more = true;
        while (more)
          consumer.next([&](const Tile& data, const Work& work) {
            more = bool(work.tile);
            if (!more || work.tile.index() >= count) return;
            unsigned sum = 0;
            for (const int& x : consumer.elements(data)) sum += term(x, work.k);
            atomicAdd(&out[work.tile.index()], sum);
          });
      });
}

// The same walk on both sides, and nothing said between them.
template <int Stages, int Size>
__global__ void sum_static(const __grid_constant__ Map in, int count, unsigned*, unsigned* out) {
  using Pipe = tma::Pipeline<Stages, Tile>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int tile : tma::StaticTiles<Size>(count))
          for (int k = 0; k < steps_of(tile); ++k) producer.next([&](auto& stage) { stage.load(in, {row_of(tile, k), 0}); });
      },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
        for (int tile : tma::StaticTiles<Size>(count)) {
          unsigned sum = 0;
          for (int k = 0; k < steps_of(tile); ++k)
            consumer.next([&](const Tile& data) {
              for (const int& x : consumer.elements(data)) sum += term(x, k);
            });
          if (tile < count) atomicAdd(&out[tile], sum);
        }
      });
}

// All threads load ahead and use: a loop over the steps of each tile.
template <int Stages, bool Demand>
__global__ void sum_for_each(const __grid_constant__ Map in, int count, unsigned* counter, unsigned* out) {
  using Pipe = tma::Pipeline<Stages, Tile>;
  struct Shared {
    typename Pipe::Shared ring;
    tma::TileOrEnd        place;
  };
  auto&      s     = tma::shared<Shared>();
  auto       block = tma::this_block();
  Pipe       pipe(s.ring);
  const auto add = [&](int tile) {
    unsigned sum = 0;
    pipe.for_each(
        steps_of(tile), [&](auto load, int k) { load(in, {row_of(tile, k), 0}); },
        [&](const Tile& data, int k) {
          for (const int& x : block.elements(data)) sum += term(x, k);
        });
    atomicAdd(&out[tile], sum);
  };
  if constexpr (Demand) {
    tma::AtomicTiles tiles(count, counter);
    while (auto tile = tiles.next(block, s.place)) add(tile.index());
  } else {
    for (int tile : tma::StaticTiles(count)) add(tile);
  }
}

// Blocks of a cluster that load for one another: each brings a slice of every tile, so that all of them take the same steps,
// also those that have no tile of the work any more.
template <int Stages, int Size, class Tiles>
__device__ void sum_together(Tiles& tiles, const tma::TmaDescriptor<const int, 2, tma::slice_t<Tile, Size>>& in, int count,
                             unsigned* out) {
  using Pipe = tma::Pipeline<Stages, tma::SharedInCluster<Tile, tma::ClusterShape<1, Size>>, tma::Meta<Work>>;
  tma::specialize(
      tma::shared<typename Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        while (auto tile = tiles.next())
          for (int k = 0; k < steps_of(tile.index() / Size); ++k)
            producer.next([&](auto& stage) {
              stage.meta() = Work{tile, k};
              stage.load(in, {row_of(tile.index() / Size, k), 0});
            });
        producer.next([&](auto& stage) { stage.meta() = Work{}; });
      },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
        bool more = true;
        while (more)
          consumer.next([&](const Tile& data, const Work& work) {
            more = bool(work.tile);
            if (!more || work.tile.index() >= count) return;
            unsigned sum = 0;
            for (const int& x : consumer.elements(data)) sum += term(x, work.k + work.tile.index() % Size);
            atomicAdd(&out[work.tile.index()], sum);
          });
      });
}

template <int Stages, int Size, bool Demand>
__global__ void sum_in_clusters(const __grid_constant__ tma::TmaDescriptor<const int, 2, tma::slice_t<Tile, Size>> in,
                                int count, unsigned* counter, unsigned* out) {
  if constexpr (Demand) {
    using Tiles = tma::AtomicTiles<Size>;
    Tiles tiles(count, counter, tma::shared<typename Tiles::Shared>());
    sum_together<Stages, Size>(tiles, in, count, out);
  } else {
    tma::StaticTiles<Size> tiles(count);
    sum_together<Stages, Size>(tiles, in, count, out);
  }
}

// `each`: blocks that sum the same tiles of the tensor, in a way of their own.
template <class Box>
void check_sums(void (*kernel)(const tma::TmaDescriptor<const int, 2, Box>, int, unsigned*, unsigned*), int blocks,
                int threads, int cluster, int each = 1) {
  constexpr int    most = 70, rows = (most + 4) * 16;
  std::vector<int> data(rows * 32);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = int(i * 2654435761u >> 9);
  gpu::Array<int>      in(data);
  gpu::Array<unsigned> counter(std::vector<unsigned>{0});
  const auto           map = tma::make_descriptor<Box>(tma::TensorView{static_cast<const int*>(in.get()), {rows, 32}});
  for (int count : {0, 1, 2, blocks - 1, blocks, blocks + 1, 31, 67}) {
    INFO(blocks << " blocks in clusters of " << cluster << ", " << count << " tiles");
    gpu::Array<unsigned> out(std::vector<unsigned>(most, 0));
    tma::launch(kernel, {.grid = blocks, .block = threads, .cluster = cluster}, map, count, counter.get(), out.get());
    gpu::finish();
    std::vector<unsigned> expected(most, 0);
    for (int t = 0; t < count; ++t)
      for (int k = 0; k < steps_of(t / each); ++k)
        for (int i = 0; i < Tile::size; ++i) expected[t] += term(data[row_of(t / each, k) * 32 + i], k + t % each);
    REQUIRE(out.download() == expected);
  }
}

}  // namespace

TEST_CASE("the producer asks for tiles, and says in each stage which it is") {
  check_sums(sum_by_demand<1, 1>, 3, 96, 1);
  check_sums(sum_by_demand<2, 1>, 8, 96, 1);
  check_sums(sum_by_demand<5, 1>, 1, 96, 1);
  check_sums(sum_by_demand<3, 2>, 6, 96, 2);
  check_sums(sum_by_demand<4, 4>, 8, 96, 4);
}

TEST_CASE("producer and consumers walk the same tiles, each by itself") {
  check_sums(sum_static<1, 1>, 3, 96, 1);
  check_sums(sum_static<2, 1>, 8, 96, 1);
  check_sums(sum_static<5, 1>, 1, 96, 1);
  check_sums(sum_static<3, 2>, 6, 96, 2);
  check_sums(sum_static<4, 4>, 8, 96, 4);
}

TEST_CASE("a loop of the pipeline for each tile") {
  check_sums(sum_for_each<1, false>, 3, 64, 1);
  check_sums(sum_for_each<4, false>, 8, 96, 1);
  check_sums(sum_for_each<2, true>, 8, 64, 1);
  check_sums(sum_for_each<3, true>, 2, 32, 1);
}

TEST_CASE("blocks of a cluster load for one another, and take their steps together") {
  check_sums(sum_in_clusters<2, 2, false>, 6, 96, 2, 2);
  check_sums(sum_in_clusters<3, 4, false>, 8, 96, 4, 4);
  check_sums(sum_in_clusters<1, 2, true>, 6, 96, 2, 2);
  check_sums(sum_in_clusters<3, 2, true>, 2, 96, 2, 2);
  check_sums(sum_in_clusters<4, 4, true>, 8, 96, 4, 4);
}

// --- blocks that have not started --------------------------------------------------------------------------------------

#if defined(TMA_MACHINE)  // sm_100 and newer; the machine answers that every block has started

namespace {

template <int Size> __global__ void visit_claimed(int* visits) {
  using Tiles = tma::ClaimedBlocks<Size>;
  Tiles tiles(tma::shared<typename Tiles::Shared>());
  if (threadIdx.x == 0) {
    for (int tile : tiles) atomicAdd(&visits[tile], 1);
    if (tiles.next()) atomicAdd(&visits[0], 1000);
  }
}

}  // namespace

TEST_CASE("blocks that take over the work of others: each index once") {
  const auto check = [](auto kernel, tma::Extent3 grid, int blocks, tma::Extent3 cluster) {
    gpu::Array<int> visits(std::vector<int>(700, 0));
    tma::launch(kernel, {.grid = grid, .block = 64, .cluster = cluster}, visits.get());
    gpu::finish();
    require_each_once(visits, blocks);
  };
  check(visit_claimed<1>, 5, 5, 1);
  check(visit_claimed<1>, {3, 2, 2}, 12, 1);
  check(visit_claimed<2>, 6, 6, 2);
  check(visit_claimed<4>, {4, 4}, 16, {2, 2});
}

#endif
