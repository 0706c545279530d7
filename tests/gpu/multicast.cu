// Loads into several blocks of a cluster at once: every mask, through a descriptor and without, each destination armed.
#include <tma/device/cluster.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

using Tile = tma::Tile<int, tma::Shape<16, 24>>;
using Map  = tma::TmaDescriptor<const int, 2, Tile>;
using Line = tma::Buffer<int, 100>;

struct Shared {
  Tile             tile;
  Line             line;
  tma::LoadBarrier arrived;
};

// Block `from` loads into the blocks of every mask in turn. `out` holds, for each mask and block, the tile's elements and the
// line's.
template <int Size>
__global__ void every_mask(const __grid_constant__ Map in, tma::AlignedPointer<const int> line, int from, int* out) {
  constexpr int each      = Tile::size + Line::size;
  auto&         s         = tma::shared<Shared>();
  auto [cluster, arrived] = tma::this_cluster<Size>(s.arrived);
  auto& block             = cluster.block();
  for (unsigned mask = 1; mask < 1u << Size; ++mask) {
    for (int& x : block.elements(s.tile)) x = -1;
    for (int& x : block.elements(s.line)) x = -2;
    cluster.release(s.tile);
    const bool gets = (mask >> cluster.rank() & 1) != 0, issues = cluster.rank() == from;
    if (auto issuer = cluster.elect()) {
      const int row = int(mask) * 3 - 4;  // outside the tensor, sometimes
      if (issues) {
        const auto to = cluster.multicast(mask);
        tma::LoadBatch(issuer, arrived).load(in, {row, 8}, s.tile, to).load(line.chunk<100>(4 * int(mask)), s.line, to);
      } else if (gets) {
        tma::LoadBatch(issuer, arrived).expect(s.tile).expect(s.line);
      }
    }
    if (issues || gets) arrived.wait();
    cluster.sync();  // nobody looks before it is certain that nothing came where nothing should
    int* const mine = out + (int(mask - 1) * int(gridDim.x) + int(blockIdx.x)) * each;
    for (int i = block.rank(); i < Tile::size; i += block.size()) mine[i] = s.tile[i];
    for (int i = block.rank(); i < Line::size; i += block.size()) mine[Tile::size + i] = s.line[i];
  }
}

// Each block loads its own rows for all, again and again; each expects the rows of the others.
template <int Size> __global__ void slices(const __grid_constant__ Map in, int steps, int* wrong) {
  struct Slices {
    Tile             tile[Size];
    tma::LoadBarrier arrived;
  };
  auto& s                 = tma::shared<Slices>();
  auto [cluster, arrived] = tma::this_cluster<Size>(s.arrived);
  auto& block             = cluster.block();
  for (int step = 0; step < steps; ++step) {
    if (auto issuer = cluster.elect()) {
      tma::LoadBatch batch(issuer, arrived);
      for (int r = 0; r < cluster.size(); ++r) {
        if (r == cluster.rank()) batch.load(in, {step * 2 + r * 16, 0}, s.tile[r], cluster.everyone());
        else batch.expect(s.tile[r]);
      }
    }
    arrived.wait();
    for (int r = 0; r < Size; ++r)
      for (int i = block.rank(); i < Tile::size; i += block.size()) {
        const int row = step * 2 + r * 16 + i / 24;
        if (s.tile[r][i] != (row < 200 ? row * 40 + i % 24 : 0)) atomicAdd(wrong, 1);
      }
    cluster.release(s.tile);  // all blocks have read before any loads again
  }
}

// Each block loads into the next one, which waits.
template <int Size>
__global__ void into_next(const __grid_constant__ Map in, tma::AlignedPointer<const int> line, int steps, int* wrong) {
  struct Two {
    Tile                  tile;
    Line                  line;
    tma::LoadBarrierOf<2> arrived;
  };
  auto& s                 = tma::shared<Two>();
  auto [cluster, arrived] = tma::this_cluster<Size>(s.arrived);
  auto&     block         = cluster.block();
  const int next = (cluster.rank() + 1) % Size, before = (cluster.rank() + Size - 1) % Size;
  for (int step = 0; step < steps; ++step) {
    if (auto issuer = cluster.elect()) {
      const auto there = cluster.peer(arrived, next);
      issuer.load(in, {step * 2 + cluster.rank() * 16, 16}, cluster.peer(s.tile, next), there);
      issuer.load(line.chunk<100>(step + cluster.rank()), cluster.peer(s.line, next), there);
    }
    arrived.wait();
    for (int i = block.rank(); i < Tile::size; i += block.size()) {
      const int row = step * 2 + before * 16 + i / 24;
      if (s.tile[i] != (row < 200 ? row * 40 + 16 + i % 24 : 0)) atomicAdd(wrong, 1);
    }
    for (int i = block.rank(); i < Line::size; i += block.size())
      if (s.line[i] != (step + before) * 100 + i) atomicAdd(wrong, 1);
    cluster.release(s.tile);
  }
}

// The threads' arrivals beside those of the loads, in one phase: three tiles by three threads of two blocks, and a line that
// threads write.
__global__ void shared_phase(const __grid_constant__ Map in, int* out) {
  struct Three {
    Tile                           tile[2];
    int                            line[64];
    tma::LoadBarrierOf<1 + 1 + 64> arrived;
  };
  auto& s                 = tma::shared<Three>();
  auto [cluster, arrived] = tma::this_cluster<2>(s.arrived);
  auto& block             = cluster.block();
  if (auto issuer = cluster.elect()) {
    issuer.load(in, {0, 0}, s.tile[0], arrived);
    if (cluster.rank() == 1) issuer.load(in, {16, 0}, s.tile[1], arrived, cluster.everyone());
    else issuer.expect(s.tile[1], arrived);
  }
  s.line[block.rank()] = 7 * block.rank() + cluster.rank();
  s.arrived.arrive();
  arrived.wait();
  int* const mine = out + int(blockIdx.x) * (2 * Tile::size + 64);
  for (int i = block.rank(); i < Tile::size; i += block.size()) mine[i] = s.tile[0][i];
  for (int i = block.rank(); i < Tile::size; i += block.size()) mine[Tile::size + i] = s.tile[1][i];
  mine[2 * Tile::size + block.rank()] = s.line[63 - block.rank()];
}

std::vector<int> numbered(int n) {
  std::vector<int> v(n);
  for (int i = 0; i < n; ++i) v[i] = i;
  return v;
}

const std::vector<int> data = numbered(200 * 40);

template <int Size> void check_masks() {
  constexpr int   each = Tile::size + Line::size, masks = (1 << Size) - 1, blocks = 2 * Size;
  gpu::Array<int> in(data), out(std::size_t(masks) * blocks * each);
  const auto      map = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {200, 40}});
  for (int from = 0; from < Size; ++from) {
    out.fill(0);
    tma::launch(every_mask<Size>, {.grid = blocks, .block = 96, .cluster = Size}, map,
                tma::aligned(static_cast<const int*>(in.get())), from, out.get());
    gpu::finish();
    const auto h = out.download();
    for (int mask = 1; mask <= masks; ++mask)
      for (int b = 0; b < blocks; ++b) {
        const int* mine = &h[std::size_t((mask - 1) * blocks + b) * each];
        const bool gets = (mask >> b % Size & 1) != 0;
        for (int i = 0; i < Tile::size; ++i) {
          const int row = mask * 3 - 4 + i / 24;
          REQUIRE(mine[i] == (!gets ? -1 : row < 0 ? 0 : row * 40 + 8 + i % 24));
        }
        for (int i = 0; i < Line::size; ++i) REQUIRE(mine[Tile::size + i] == (gets ? 400 * mask + i : -2));
      }
  }
}

}  // namespace

TEST_CASE("a load goes into the blocks of a mask, and no others") {
  check_masks<1>();
  check_masks<2>();
  check_masks<4>();
}

TEST_CASE("each block loads a slice for all, step after step") {
  gpu::Array<int> in(data), wrong(std::vector<int>{0});
  const auto      map   = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {200, 40}});
  const int       steps = gpu::scaled(80, 8);
  tma::launch(slices<2>, {.grid = 8, .block = 128, .cluster = 2}, map, steps, wrong.get());
  tma::launch(slices<4>, {.grid = 8, .block = 128, .cluster = 4}, map, steps, wrong.get());
  tma::launch(slices<8>, {.grid = 8, .block = 128, .cluster = 8}, map, steps, wrong.get());
  gpu::finish();
  CHECK(wrong.download()[0] == 0);
}

TEST_CASE("each block loads into the next") {
  gpu::Array<int> in(data), wrong(std::vector<int>{0});
  const auto      map   = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {200, 40}});
  const auto      line  = tma::aligned(static_cast<const int*>(in.get()));
  const int       steps = gpu::scaled(60, 6);
  tma::launch(into_next<2>, {.grid = 8, .block = 64, .cluster = 2}, map, line, steps, wrong.get());
  tma::launch(into_next<4>, {.grid = 8, .block = 64, .cluster = 4}, map, line, steps, wrong.get());
  tma::launch(into_next<8>, {.grid = 8, .block = 64, .cluster = 8}, map, line, steps, wrong.get());
  gpu::finish();
  CHECK(wrong.download()[0] == 0);
}

TEST_CASE("loads of this block, loads of another and what threads write complete in one phase") {
  constexpr int   each = 2 * Tile::size + 64;
  gpu::Array<int> in(data), out(2 * each);
  const auto      map = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {200, 40}});
  tma::launch(shared_phase, {.grid = 2, .block = 64, .cluster = 2}, map, out.get());
  gpu::finish();
  const auto h = out.download();
  for (int b = 0; b < 2; ++b) {
    for (int i = 0; i < Tile::size; ++i) REQUIRE(h[b * each + i] == i / 24 * 40 + i % 24);
    for (int i = 0; i < Tile::size; ++i) REQUIRE(h[b * each + Tile::size + i] == (16 + i / 24) * 40 + i % 24);
    for (int i = 0; i < 64; ++i) REQUIRE(h[b * each + 2 * Tile::size + i] == 7 * (63 - i) + b);
  }
}
