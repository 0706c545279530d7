// Pipelines whose tiles are loaded by the blocks of a cluster for one another: by rows, by columns, by all; any number of
// stages and steps, blocks that are late, tiles that lie outside, loops after one another.
#include <tma/pipeline/cluster_parts.hpp>
#include <tma/pipeline/producer_group.hpp>
#include <tma/tma.hpp>

#include "../support/catch.hpp"
#include "../support/gpu.hpp"

namespace {

constexpr int depth = 64;  // columns of both matrices
constexpr int step  = 32;  // of them in a tile

std::vector<int> numbered(int rows) {
  std::vector<int> v(std::size_t(rows) * depth);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = int(i) + 1;
  return v;
}

// What is at (row, column) of such a matrix of `rows` rows.
__device__ int value(int rows, int row, int column) { return row < rows ? row * depth + column + 1 : 0; }

__device__ void sleep_some(unsigned seed) {
  seed = (seed ^ 61) ^ (seed >> 16);
  seed *= 9;
  seed ^= seed >> 4;
  seed *= 0x27d4eb2du;
  seed ^= seed >> 15;
  if (seed % 4 == 0) __nanosleep(seed >> 8 & 1023);
}

struct Work {
  int rows_a, rows_b, steps, loops, seed;
};

template <class Tile> __device__ bool is_tile(const Tile& tile, int rows, int row, int column, int rank, int size) {
  bool right = true;
  for (int i = rank; i < Tile::size; i += size)
    right &= tile[i] == value(rows, row + i / Tile::row_elements, column + i % Tile::row_elements);
  return right;
}

// The grid of clusters goes over the grid of output tiles. Row tiles of A are shared in rows of the cluster, those of B in
// columns, as in a product of matrices; some of them lie outside.
template <int Rows, int Columns, int Stages, int Warps>
__global__ void rows_and_columns(
    const __grid_constant__ tma::TmaDescriptor<const int, 2, tma::slice_t<tma::Tile<int, tma::Shape<16, step>>, Columns>> a,
    const __grid_constant__ tma::TmaDescriptor<const int, 2, tma::slice_t<tma::Tile<int, tma::Shape<32, step>>, Rows>> b,
    Work work, int* wrong) {
  using Shape = tma::ClusterShape<Rows, Columns>;
  using TileA = tma::Tile<int, tma::Shape<16, step>>;
  using TileB = tma::Tile<int, tma::Shape<32, step>>;
  using Pipe  = tma::Pipeline<Stages, tma::SharedInRow<TileA, Shape>, tma::SharedInColumn<TileB, Shape>, tma::Meta<int>>;

  // A launch with .cluster = {Columns, Rows}.
  const int  row = int(blockIdx.y) * 16, column = int(blockIdx.x) * 32;
  const auto k = [&](int i) { return i * step % depth; };
  tma::specialize(
      tma::named("product", tma::shared<typename Pipe::Shared>()), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < work.steps * work.loops; ++i) {
          sleep_some(unsigned(work.seed + i * 31 + int(blockIdx.x) * 7 + int(blockIdx.y)));
          producer.next([&](auto& stage) {
            stage.load(a, {row, k(i)}, tma::slot<0>);
            stage.load(b, {column, k(i)}, tma::slot<1>);
            stage.meta() = i;
          });
        }
      },
      tma::consumer_warps<Warps>,
      [&](auto& consumer) {
        for (int loop = 0, i = 0; loop < work.loops; ++loop)
          for (int n = 0; n < work.steps; ++n, ++i) {
            sleep_some(unsigned(work.seed + i * 17 + consumer.rank() / 32 * 5 + int(blockIdx.x) * 3));
            consumer.next([&](const TileA& ta, const TileB& tb, int which) {
              const bool right = is_tile(ta, work.rows_a, row, k(i), consumer.rank(), consumer.size()) &&
                                 is_tile(tb, work.rows_b, column, k(i), consumer.rank(), consumer.size()) && which == i;
              if (!right) atomicAdd(wrong, 1);
            });
          }
      });
}

template <int Rows, int Columns, int Stages, int Warps> void check_rows_and_columns(int repeats) {
  using TileA = tma::slice_t<tma::Tile<int, tma::Shape<16, step>>, Columns>;
  using TileB = tma::slice_t<tma::Tile<int, tma::Shape<32, step>>, Rows>;
  // Neither a multiple of a tile nor of a cluster.
  const int             rows_a = 16 * 3 + 5, rows_b = 32 * 2 + 9;
  const int             down = (4 + Rows - 1) / Rows * Rows, across = (3 + Columns - 1) / Columns * Columns;
  const gpu::Array<int> a(numbered(rows_a)), b(numbered(rows_b));
  const gpu::Array<int> wrong(std::vector<int>{0});
  const auto map_a = tma::make_descriptor<TileA>(tma::TensorView{static_cast<const int*>(a.get()), {rows_a, depth}});
  const auto map_b = tma::make_descriptor<TileB>(tma::TensorView{static_cast<const int*>(b.get()), {rows_b, depth}});
  const tma::LaunchConfig config{
      .grid    = {across, down},
      .block   = 32 * (Warps + 1),
      .shared  = tma::shared_bytes<typename tma::Pipeline<
          Stages, tma::SharedInRow<tma::Tile<int, tma::Shape<16, step>>, tma::ClusterShape<Rows, Columns>>,
          tma::SharedInColumn<tma::Tile<int, tma::Shape<32, step>>, tma::ClusterShape<Rows, Columns>>,
          tma::Meta<int>>::Shared>,
      .cluster = {Columns, Rows}};
  for (int r = 0; r < repeats; ++r)
    for (const int steps : {0, 1, 2, 3, Stages - 1, Stages, Stages + 1, 2 * Stages + 1, 13}) {
      tma::launch(rows_and_columns<Rows, Columns, Stages, Warps>, config, map_a, map_b,
                  Work{rows_a, rows_b, steps, 1 + r % 3, r * 1000 + steps}, wrong.get());
      gpu::finish();
    }
  CHECK(wrong.download()[0] == 0);
}

// All threads consume; each block brings its part of every tile.
template <tma::Swizzle Mode> using Whole = tma::Tile<int, tma::Shape<32, step>, Mode>;

template <int Size, int Stages, tma::Swizzle Mode>
__global__ void for_all(const __grid_constant__ tma::TmaDescriptor<const int, 2, tma::slice_t<Whole<Mode>, Size>> in,
                        Work work, int* wrong) {
  using Tile = Whole<Mode>;
  using Pipe = tma::Pipeline<Stages, tma::SharedInCluster<Tile, tma::ClusterShape<Size>>>;
  Pipe       pipe(tma::shared<typename Pipe::Shared>());
  const int  cluster = int(blockIdx.x) / Size;
  const auto at      = [&](int i) { return (cluster + i) * 32 - 16; };  // the first begins before the tensor
  for (int loop = 0; loop < work.loops; ++loop)
    pipe.for_each(
        work.steps,
        [&](auto load, int i) {
          sleep_some(unsigned(work.seed + i * 31 + int(blockIdx.x) * 7));
          load(in, {at(i), 0});
        },
        [&](const Tile& tile, int i) {
          sleep_some(unsigned(work.seed + i * 17 + int(threadIdx.x) / 32 * 5 + int(blockIdx.x) * 3));
          for (int e = int(threadIdx.x); e < Tile::size; e += int(blockDim.x)) {
            const int row = at(i) + e / step;
            if (tile[e] != (row < 0 ? 0 : value(work.rows_a, row, e % step))) atomicAdd(wrong, 1);
          }
        });
}

template <int Size, int Stages, tma::Swizzle Mode = tma::Swizzle::bytes_128> void check_for_all(int repeats, int threads) {
  using Tile                 = tma::slice_t<Whole<Mode>, Size>;
  const int             rows = 100;
  const gpu::Array<int> in(numbered(rows));
  const gpu::Array<int> wrong(std::vector<int>{0});
  const auto            map = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const int*>(in.get()), {rows, depth}});
  for (int r = 0; r < repeats; ++r)
    for (const int steps : {0, 1, 2, Stages - 1, Stages + 1, 2 * Stages + 1, 7}) {
      tma::launch(for_all<Size, Stages, Mode>, {.grid = 3 * Size, .block = threads, .cluster = Size}, map,
                  Work{rows, 0, steps, 1 + r % 3, r * 1000 + steps}, wrong.get());
      gpu::finish();
    }
  CHECK(wrong.download()[0] == 0);
}

}  // namespace

TEST_CASE("tiles shared in rows and in columns of a cluster", "[gpu]") {
  const int repeats = gpu::scaled(100, 1);
  check_rows_and_columns<1, 1, 2, 1>(repeats);
  check_rows_and_columns<1, 2, 3, 2>(repeats);
  check_rows_and_columns<2, 1, 1, 4>(repeats);
  check_rows_and_columns<2, 2, 2, 3>(repeats);
  check_rows_and_columns<2, 2, 4, 8>(repeats);
  check_rows_and_columns<1, 4, 3, 1>(repeats);
  check_rows_and_columns<4, 2, 2, 2>(repeats);
}

TEST_CASE("a tile that all blocks of a cluster use, by all their threads", "[gpu]") {
  const int repeats = gpu::scaled(100, 1);
  check_for_all<1, 3>(repeats, 64);
  check_for_all<2, 1>(repeats, 128);
  check_for_all<2, 4>(repeats, 96);
  check_for_all<4, 2>(repeats, 256);
}

// Each block frees a stage of all of them. Its last warp has fewer lanes than the cluster has blocks, or as many, or more; it
// may be its only one.
TEST_CASE("blocks whose last warp has fewer lanes than the cluster has blocks", "[gpu]") {
  const int  repeats = gpu::scaled(10, 1);
  const auto check   = [&](int threads) {
    check_for_all<2, 2, tma::Swizzle::none>(repeats, threads);
    check_for_all<4, 2, tma::Swizzle::none>(repeats, threads);
    check_for_all<8, 2, tma::Swizzle::none>(repeats, threads);
  };
  for (const int threads : {1, 2, 3, 5, 7, 31}) check(threads);
  for (int threads = 33; threads <= 40; ++threads) check(threads);
  check(65);
}
