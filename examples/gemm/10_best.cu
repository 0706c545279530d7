// 10: what lies between two rounds, and between two launches.
//
// Back and forth. Every other tile of a block goes through K from the end, and every other band through its columns: a round
// begins with what the one before has read last, which is still in the second-level cache. That saves a sixth of what memory is
// read for.
//
// An early start. The next launch sets up its barriers and its blocks while this one ends. It waits before it loads: A and B
// may be what the kernel before it has written, and C what that one reads. Nothing of C is stored before a tile has been loaded,
// so the producer waits for all.
#include <tma/device/grid_dependency.hpp>

#include "late_results.hpp"

namespace gemm {
namespace {

// The rectangles' order, with every other band mirrored.
struct Winding {
  Rectangles order;
  int        columns;

  TMA_HOST_DEVICE tma::TilePlace operator()(int index) const {
    tma::TilePlace tile = order(index);
    if (tile.row / band % 2 != 0) tile.column = columns - 1 - tile.column;
    return tile;
  }
};

template <class T>
__global__ void __launch_bounds__(persistent_threads, 1)
    kernel(const __grid_constant__ MapA<T> a, const __grid_constant__ MapB<T> b, const __grid_constant__ MapC<T> c,
           Winding order, int steps) {
  auto&                  s = tma::shared<Shared<T>>();
  const tma::StaticTiles tiles(order.order.size());
  tma::specialize(
      s.ring, tma::producer_warp<0, 24>,
      [&](auto& producer) {
        tma::wait_for_previous_grid();
        bool back = false;
        for (const int index : tiles) {
          const auto tile = order(index);
          for (int step = 0; step < steps; ++step)
            producer.next([&](auto& stage) {
              const int k = (back ? steps - 1 - step : step) * depth;
              stage.load(a, {tile.row * block_rows, k});
              stage.load(b, {tile.column * block_columns, k});
            });
          back = !back;
        }
        tma::let_next_grid_start();
      },
      tma::consumer_groups<2, 4, 240>,
      [&](auto& consumer) { multiply_tiles<T>(consumer, s.results[consumer.group()], c, tiles, order, steps); });
}

}  // namespace

template <int Rung, class T> Run plan(const Problem<T>& p) {
  const auto    a = tma::make_descriptor<TileA<T>>(view_a(p));
  const auto    b = tma::make_descriptor<TileB<T>>(view_b(p));
  const auto    c = tma::make_descriptor<TileC<T>>(view_c(p));
  const Winding order{rectangles_of(p), (p.n + block_columns - 1) / block_columns};
  return [=, steps = steps_of(p), blocks = blocks_in_rounds(order.order.size())](cudaStream_t stream) {
    tma::launch(kernel<T>,
                {.grid   = blocks,
                 .block  = persistent_threads,
                 .shared = tma::shared_bytes<Shared<T>>,
                 .stream = stream,
                 .order  = tma::StreamOrder::programmatic},
                a, b, c, order, steps);
  };
}
GEMM_INSTANTIATE(10);

}  // namespace gemm
