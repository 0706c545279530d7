// 9: nothing waits for the results. They are written and stored while the matrix units work on the next tile.
#include "late_results.hpp"

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
      [&](auto& consumer) { multiply_tiles<T>(consumer, s.results[consumer.group()], c, tiles, order, steps); });
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
GEMM_INSTANTIATE(9);

}  // namespace gemm
