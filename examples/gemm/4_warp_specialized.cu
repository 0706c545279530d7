// 4: a warp that only loads, two warpgroups that only multiply. A step's stage is held until the next step's instructions are
// on their way, so that the matrix units never run dry; the registers that the producer needs not go to the sums.
#include <tma/device/register_budget.hpp>

#include "block.hpp"

namespace gemm {
namespace {

constexpr int threads = 384;

template <class T> using Pipe = tma::Pipeline<4, TileA<T>, TileB<T>, tma::MatrixReads>;

template <class T>
__global__ void __launch_bounds__(threads, 1)
    kernel(const __grid_constant__ MapA<T> a, const __grid_constant__ MapB<T> b, Output<T> c, Raster raster, int steps) {
  const auto tile = raster(int(blockIdx.x));
  const int  row = tile.row * block_rows, column = tile.column * block_columns;
  tma::specialize(
      tma::shared<typename Pipe<T>::Shared>(), tma::producer_warp<0, 40>,
      [&](auto& producer) {
        for (int step = 0; step < steps; ++step)
          producer.next([&](auto& stage) {
            stage.load(a, {row, step * depth});
            stage.load(b, {column, step * depth});
          });
      },
      tma::consumer_groups<2, 4, 232>,
      [&](auto& consumer) {
        const int                   rows = consumer.group() * 64;
        Accumulators<block_columns> sum;
        {
          auto previous = consumer.none();
          for (int step = 0; step < steps; ++step) {
            auto stage = consumer.wait();
            begin(sum);
            multiply<T>(sum, rows_of(stage[tma::slot<0>], rows), rows_of(stage[tma::slot<1>]), step > 0);
            commit();
            wait<1>(sum);
            previous = std::move(stage);  // frees the one before, which the units have read
          }
          wait<0>(sum);
        }
        write(c, sum, row + rows, column, consumer.rank());
      });
}

}  // namespace

template <int Rung, class T> Run plan(const Problem<T>& p) {
  const auto      a      = tma::make_descriptor<TileA<T>>(view_a(p));
  const auto      b      = tma::make_descriptor<TileB<T>>(view_b(p));
  const Output<T> c      = output_of(p);
  const Raster    raster = raster_of(p);
  return [=, steps = steps_of(p)](cudaStream_t stream) {
    tma::launch(
        kernel<T>,
        {.grid = raster.size(), .block = threads, .shared = tma::shared_bytes<typename Pipe<T>::Shared>, .stream = stream},
        a, b, c, raster, steps);
  };
}
GEMM_INSTANTIATE(4);

}  // namespace gemm
