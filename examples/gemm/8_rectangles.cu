// 8: what measuring left of the rungs before, and three things more.
//
// No clusters. Requests of blocks that ask for the same lines at the same time seem to be merged on their way to this device's
// second-level cache as it is, and the blocks of a cluster wait for one another. No more blocks than it takes to be done in as
// many rounds: the tiles of a round are then a rectangle, which reads the fewest rows and columns. And a step is waited for at
// once: while a warpgroup waits, frees the stage and takes the next, the other's products keep the matrix units busy.
#include "rectangles.hpp"

namespace gemm {
namespace {

template <class T>
__global__ void __launch_bounds__(persistent_threads, 1)
    kernel(const __grid_constant__ MapA<T> a, const __grid_constant__ MapB<T> b, const __grid_constant__ MapC<T> c,
           Rectangles order, int steps) {
  auto&                  s = tma::shared<Shared<T>>();
  const tma::StaticTiles tiles(order.size());
  tma::specialize(
      s.ring, tma::producer_warp<0, 24>, [&](auto& producer) { load_tiles<T>(producer, tiles, order, a, b, steps); },
      tma::consumer_groups<2, 4, 240>,
      [&](auto& consumer) {
        tma::StoreRing              out(s.results[consumer.group()], consumer);
        Accumulators<block_columns> sum;
        for (const int index : tiles) {
          for (int step = 0; step < steps; ++step) {
            const auto stage = consumer.wait();
            begin(sum);
            multiply<T>(sum, rows_of(stage[tma::slot<0>], consumer.group() * 64), rows_of(stage[tma::slot<1>]), step > 0);
            commit();
            wait<0>(sum);
          }
          const auto tile = order(index);
          store(out, c, sum, tile.row * block_rows + consumer.group() * 64, tile.column * block_columns, consumer.rank());
        }
      });
}

}  // namespace

template <int Rung, class T> Run plan(const Problem<T>& p) {
  const auto a     = tma::make_descriptor<TileA<T>>(view_a(p));
  const auto b     = tma::make_descriptor<TileB<T>>(view_b(p));
  const auto c     = tma::make_descriptor<TileC<T>>(view_c(p));
  const auto order = rectangles_of(p);
  return [=, steps = steps_of(p), blocks = blocks_in_rounds(order.size())](cudaStream_t stream) {
    tma::launch(kernel<T>,
                {.grid = blocks, .block = persistent_threads, .shared = tma::shared_bytes<Shared<T>>, .stream = stream}, a,
                b, c, order, steps);
  };
}
GEMM_INSTANTIATE(8);

}  // namespace gemm
