// 3: the engine ahead of use. A ring of four stages; one of the threads that compute asks for a step as soon as all have used
// the one whose place it takes.
#include "block.hpp"

namespace gemm {
namespace {

constexpr int threads = 256;

template <class T> using Pipe = tma::Pipeline<4, TileA<T>, TileB<T>, tma::MatrixReads>;

template <class T>
__global__ void __launch_bounds__(threads, 1)
    kernel(const __grid_constant__ MapA<T> a, const __grid_constant__ MapB<T> b, Output<T> c, Raster raster, int steps) {
  const auto tile = raster(int(blockIdx.x));
  const int  row = tile.row * block_rows, column = tile.column * block_columns, group = int(threadIdx.x) / 128;

  Accumulators<block_columns> sum;
  Pipe<T>                     pipe(tma::shared<typename Pipe<T>::Shared>());
  pipe.for_each(
      steps,
      [&](auto load, int step) {
        load(a, {row, step * depth});
        load(b, {column, step * depth});
      },
      [&](const TileA<T>& tile_a, const TileB<T>& tile_b, int step) {
        begin(sum);
        multiply<T>(sum, rows_of(tile_a, group * 64), rows_of(tile_b), step > 0);
        commit();
        wait<0>(sum);  // a stage is free at the end of its step: the units must have read it
      });
  write(c, sum, row + group * 64, column, int(threadIdx.x) % 128);
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
GEMM_INSTANTIATE(3);

}  // namespace gemm
