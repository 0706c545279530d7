// Tiles for blocks and clusters that stay: each tile once, whatever the count, launch after launch, and beside a pipeline.
#include <tma/core/grouped_raster.hpp>
#include <tma/device/cluster.hpp>
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
    if (stepwise.next() != tma::TileOrEnd{tile}) atomicAdd(wrong, 1);
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
    gpu::Array<int> visits(std::vector<int>(300, 0)), steps(blocks);
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
      gpu::Array<int> visits(std::vector<int>(300, 0)), wrong(std::vector<int>{0});
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
