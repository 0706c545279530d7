// 5: blocks that stay. There are as many as multiprocessors, each takes tile after tile, and the ring goes on over all of them:
// the producer loads the next tile's first stages while the sums of the last are written, and no tile waits for a block to
// begin.
#include "persistent.hpp"

namespace gemm {
namespace {

template <class T> using Pipe = tma::Pipeline<4, TileA<T>, TileB<T>, tma::MatrixReads>;

template <class T>
__global__ void __launch_bounds__(persistent_threads, 1)
    kernel(const __grid_constant__ MapA<T> a, const __grid_constant__ MapB<T> b, Output<T> c, Raster raster, int steps) {
  const tma::StaticTiles tiles(raster.size());
  tma::specialize(
      tma::shared<typename Pipe<T>::Shared>(), tma::producer_warp<0, 40>,
      [&](auto& producer) {
        for (const int index : tiles) {
          const auto tile = raster(index);
          for (int step = 0; step < steps; ++step)
            producer.next([&](auto& stage) {
              stage.load(a, {tile.row * block_rows, step * depth});
              stage.load(b, {tile.column * block_columns, step * depth});
            });
        }
      },
      tma::consumer_groups<2, 4, 232>,
      [&](auto& consumer) {
        Accumulators<block_columns> sum;
        for (const int index : tiles) {
          accumulate<T>(consumer, sum, steps);
          const auto tile = raster(index);
          write(c, sum, tile.row * block_rows + consumer.group() * 64, tile.column * block_columns, consumer.rank());
        }
      });
}

}  // namespace

template <int Rung, class T> Run plan(const Problem<T>& p) {
  const auto      a      = tma::make_descriptor<TileA<T>>(view_a(p));
  const auto      b      = tma::make_descriptor<TileB<T>>(view_b(p));
  const Output<T> c      = output_of(p);
  const Raster    raster = raster_of(p);
  return [=, steps = steps_of(p), blocks = blocks_of(raster.size())](cudaStream_t stream) {
    tma::launch(kernel<T>,
                {.grid   = blocks,
                 .block  = persistent_threads,
                 .shared = tma::shared_bytes<typename Pipe<T>::Shared>,
                 .stream = stream},
                a, b, c, raster, steps);
  };
}
GEMM_INSTANTIATE(5);

}  // namespace gemm
