// 6: two blocks, one above the other, need the same columns of B. As a cluster each loads half of them, and the engine writes
// it into both: a block asks the second-level cache for 32 KiB a step in place of 48. The ring's type says so, no more.
#include "clusters.hpp"

namespace gemm {
namespace {

template <class T>
__global__ void __launch_bounds__(persistent_threads, 1)
    kernel(const __grid_constant__ MapA<T> a, const __grid_constant__ MapHalfB<T> b, Output<T> c, PairRaster raster,
           int steps) {
  const tma::StaticTiles<Cluster::size> tiles(raster.size());
  tma::specialize(
      tma::shared<typename PairPipe<T>::Shared>(), tma::producer_warp<0, 40>,
      [&](auto& producer) { load_tiles<T>(producer, tiles, raster, a, b, steps); }, tma::consumer_groups<2, 4, 232>,
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
  const auto       a      = tma::make_descriptor<TileA<T>>(view_a(p));
  const auto       b      = tma::make_descriptor<HalfB<T>>(view_b(p));
  const Output<T>  c      = output_of(p);
  const PairRaster raster = pair_raster_of(p);
  return [=, steps = steps_of(p), blocks = blocks_of(raster.size(), Cluster::size)](cudaStream_t stream) {
    tma::launch(kernel<T>,
                {.grid    = {Cluster::columns, blocks},
                 .block   = persistent_threads,
                 .shared  = tma::shared_bytes<typename PairPipe<T>::Shared>,
                 .cluster = {Cluster::columns, Cluster::rows},
                 .stream  = stream},
                a, b, c, raster, steps);
  };
}
GEMM_INSTANTIATE(6);

}  // namespace gemm
