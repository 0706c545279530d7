// 7: the engine stores the results. Threads write them as tiles into shared memory, half of a tile's columns at a time, and are
// back in the main loop while the engine sends the last of them; it clips what lies outside of C, and rows go out whole.
#include "clusters.hpp"
#include "results.hpp"

namespace gemm {
namespace {

template <class T> struct Shared {
  typename PairPipe<T>::Shared ring;
  HalfOfResults<T>             results[2];  // of each warpgroup
};

template <class T>
__global__ void __launch_bounds__(persistent_threads, 1)
    kernel(const __grid_constant__ MapA<T> a, const __grid_constant__ MapHalfB<T> b, const __grid_constant__ MapC<T> c,
           PairRaster raster, int steps) {
  auto&                                 s = tma::shared<Shared<T>>();
  const tma::StaticTiles<Cluster::size> tiles(raster.size());
  tma::specialize(
      s.ring, tma::producer_warp<0, 40>, [&](auto& producer) { load_tiles<T>(producer, tiles, raster, a, b, steps); },
      tma::consumer_groups<2, 4, 232>,
      [&](auto& consumer) {
        tma::StoreRing              out(s.results[consumer.group()], consumer);
        Accumulators<block_columns> sum;
        for (const int index : tiles) {
          accumulate<T>(consumer, sum, steps);
          const auto tile = raster(index);
          store(out, c, sum, tile.row * block_rows + consumer.group() * 64, tile.column * block_columns, consumer.rank());
        }
      });
}

}  // namespace

template <int Rung, class T> Run plan(const Problem<T>& p) {
  const auto       a      = tma::make_descriptor<TileA<T>>(view_a(p));
  const auto       b      = tma::make_descriptor<HalfB<T>>(view_b(p));
  const auto       c      = tma::make_descriptor<TileC<T>>(view_c(p));
  const PairRaster raster = pair_raster_of(p);
  return [=, steps = steps_of(p), blocks = blocks_of(raster.size(), Cluster::size)](cudaStream_t stream) {
    tma::launch(kernel<T>,
                {.grid    = {Cluster::columns, blocks},
                 .block   = persistent_threads,
                 .shared  = tma::shared_bytes<Shared<T>>,
                 .cluster = {Cluster::columns, Cluster::rows},
                 .stream  = stream},
                a, b, c, raster, steps);
  };
}
GEMM_INSTANTIATE(7);

}  // namespace gemm
