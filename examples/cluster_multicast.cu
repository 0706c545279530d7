// C = A B^T by clusters of 2 x 2 blocks: the blocks of a row need the same tile of A, those of a column the same of B. Each loads
// half of either and multicasts it, so that A and B come in half as often. The grid of tiles is odd in both directions, and
// clusters stay: a block whose tile lies outside still brings its halves.
#include <tma/core/grouped_raster.hpp>
#include <tma/pipeline/cluster_parts.hpp>
#include <tma/pipeline/static_tiles.hpp>
#include <tma/tma.hpp>

#include "example.hpp"

constexpr int step = 32;

using Cluster = tma::ClusterShape<2, 2>;
using TileA   = tma::Tile<float, tma::Shape<64, step>>;
using TileB   = tma::Tile<float, tma::Shape<64, step>, tma::Swizzle::bytes_128>;  // read down a column
using HalfA   = tma::slice_t<TileA, 2>;
using HalfB   = tma::slice_t<TileB, 2>;
using Raster  = tma::GroupedRaster<4, tma::RasterGroup::rows, Cluster::rows, Cluster::columns>;

// [program]
using Pipe = tma::Pipeline<4, tma::SharedInRow<TileA, Cluster>, tma::SharedInColumn<TileB, Cluster>>;

__global__ void gemm(const __grid_constant__ tma::TmaDescriptor<const float, 2, HalfA> a,
                     const __grid_constant__ tma::TmaDescriptor<const float, 2, HalfB> b, float* c, Raster raster,
                     int columns, int steps) {
  const auto tiles = tma::StaticTiles<Cluster::size>(raster.size());  // as many of them for each block of a cluster
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int index : tiles) {
          const auto tile = raster(index);
          for (int k = 0; k < steps; ++k)
            producer.next([&](auto& stage) {  // where the whole tiles begin
              stage.load(a, {tile.row * 64, k * step});
              stage.load(b, {tile.column * 64, k * step});
            });
        }
      },
      tma::consumer_warps<8>,
      [&](auto& consumer) {
        const int column = consumer.rank() % 64, first = consumer.rank() / 64;  // every fourth row
        for (int index : tiles) {
          const auto tile    = raster(index);
          float      sum[16] = {};
          for (int k = 0; k < steps; ++k)
            consumer.next([&](const TileA& a, const TileB& b) {
              for (int x = 0; x < step; ++x)
                for (int r = 0; r < 16; ++r) sum[r] = fmaf(a(first + r * 4, x), b(column, x), sum[r]);
            });
          if (tile.valid)
            for (int r = 0; r < 16; ++r) c[(tile.row * 64 + first + r * 4) * columns + tile.column * 64 + column] = sum[r];
        }
      });
}
// [end]

int main() {
  return example::main([] {
    const int             M = 5 * 64, N = 3 * 64, K = 100;  // the last step reaches past K: zeros add nothing
    auto                  a = example::Array<float>::random(M * K), b = example::Array<float>::random(N * K);
    example::Array<float> c(M * N);

    auto map_a = tma::make_descriptor<HalfA>(tma::TensorView{static_cast<const float*>(a.device), {M, K}});
    auto map_b = tma::make_descriptor<HalfB>(tma::TensorView{static_cast<const float*>(b.device), {N, K}});
    tma::launch(gemm,
                {.grid    = {2 * Cluster::columns, 2 * Cluster::rows},  // four clusters for six rectangles of tiles
                 .block   = 9 * 32,
                 .shared  = tma::shared_bytes<Pipe::Shared>,
                 .cluster = {Cluster::columns, Cluster::rows}},
                map_a, map_b, c.device, Raster(M / 64, N / 64), N, (K + step - 1) / step);

    c.download();
    return example::verify(
        "cluster_multicast", c.host,
        [&](std::size_t i) {
          double sum = 0;
          for (int k = 0; k < K; ++k) sum += double(a.host[i / N * K + k]) * b.host[i % N * K + k];
          return sum;
        },
        1e-4);
  });
}
