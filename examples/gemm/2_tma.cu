// 2: the engine. One thread asks for both tiles of a step, and everybody waits for them. No addresses, no swizzle, no ends: the
// descriptors have them. And nothing overlaps.
#include "block.hpp"

namespace gemm {
namespace {

constexpr int threads = 256;

template <class T> struct Shared {
  TileA<T>         a;
  TileB<T>         b;
  tma::LoadBarrier barrier;
};

template <class T>
__global__ void __launch_bounds__(threads, 1)
    kernel(const __grid_constant__ MapA<T> a, const __grid_constant__ MapB<T> b, Output<T> c, Raster raster, int steps) {
  auto& s               = tma::shared<Shared<T>>();
  auto [block, arrived] = tma::this_block<threads>(s.barrier);
  const auto tile       = raster(int(blockIdx.x));
  const int  row = tile.row * block_rows, column = tile.column * block_columns, group = block.rank() / 128;

  Accumulators<block_columns> sum;
  for (int step = 0; step < steps; ++step) {
    if (auto issuer = block.elect()) {
      tma::LoadBatch batch(issuer, arrived);
      batch.load(a, {row, step * depth}, s.a);
      batch.load(b, {column, step * depth}, s.b);
    }
    arrived.wait();
    begin(sum);
    multiply<T>(sum, rows_of(s.a, group * 64), rows_of(s.b), step > 0);
    commit();
    wait<0>(sum);
    block.sync();  // the matrix units have read both tiles: the next loads may overwrite them
  }
  write(c, sum, row + group * 64, column, block.rank() % 128);
}

}  // namespace

template <int Rung, class T> Run plan(const Problem<T>& p) {
  const auto      a      = tma::make_descriptor<TileA<T>>(view_a(p));
  const auto      b      = tma::make_descriptor<TileB<T>>(view_b(p));
  const Output<T> c      = output_of(p);
  const Raster    raster = raster_of(p);
  return [=, steps = steps_of(p)](cudaStream_t stream) {
    tma::launch(kernel<T>,
                {.grid = raster.size(), .block = threads, .shared = tma::shared_bytes<Shared<T>>, .stream = stream}, a, b, c,
                raster, steps);
  };
}
GEMM_INSTANTIATE(2);

}  // namespace gemm
