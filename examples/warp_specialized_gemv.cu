// y = A x, as fast as memory: A is 16-bit and read once. Blocks stay; in each a producer warp streams tiles of A to two groups
// of consumers, which have half of every tile's rows each, and the registers that the producer needs not. x stays in shared
// memory.
#include <cuda_fp16.h>

#include <tma/device/register_budget.hpp>
#include <tma/pipeline/static_tiles.hpp>
#include <tma/tma.hpp>

#include "example.hpp"

constexpr int rows = 32, columns = 256, most_columns = 4096;  // of a tile; of A

using Tile = tma::Tile<__half, tma::Shape<rows, columns>>;
using Pipe = tma::Pipeline<6, Tile>;

struct Shared {
  Pipe::Shared                     ring;
  tma::Buffer<float, most_columns> x;  // zeros behind the last element: the tiles' are zeros there as well
};

// [program]
constexpr auto loading = tma::producer_warp<0, 40>;
constexpr auto summing = tma::consumer_groups<2, 4, 232>;

__global__ void __launch_bounds__(384, 1)
    gemv(const __grid_constant__ tma::TmaDescriptor<const __half, 2, Tile> a, const float* x, float* y, int m, int n) {
  auto&     s     = tma::shared<Shared>();
  const int steps = (n + columns - 1) / columns;
  for (int k = int(threadIdx.x); k < steps * columns; k += int(blockDim.x)) s.x[k] = k < n ? x[k] : 0;

  // The block meets in here, before the roles begin: x is there.
  tma::specialize(
      s.ring, loading,
      [&](auto& producer) {
        for (int strip : tma::StaticTiles((m + rows - 1) / rows))
          for (int k = 0; k < steps; ++k) producer.next([&](auto& stage) { stage.load(a, {strip * rows, k * columns}); });
      },
      summing,
      [&](auto& consumer) {
        constexpr int each = rows / 8;  // of a warp's rows; a lane has 8 neighbouring columns of them
        const int     lane = consumer.rank() % 32, first = (consumer.group() * 4 + consumer.rank() / 32) * each;
        for (int strip : tma::StaticTiles((m + rows - 1) / rows)) {
          float sum[each] = {};
          for (int k = 0; k < steps; ++k) {
            const auto  x0    = s.x.vector<4>((k * columns + lane * 8) / 4);
            const auto  x1    = s.x.vector<4>((k * columns + lane * 8) / 4 + 1);
            auto        stage = consumer.wait();  // freed at the end of its scope
            const Tile& tile  = stage[tma::slot<0>];
            for (int r = 0; r < each; ++r) {
              const auto v = tile.vector<8>((first + r) * 32 + lane);  // 16 bytes, without conflicts
              for (int i = 0; i < 8; ++i) sum[r] = fmaf(__half2float(v[i]), i < 4 ? x0[i] : x1[i - 4], sum[r]);
            }
          }
#pragma unroll
          for (int r = 0; r < each; ++r) {
            for (int apart = 16; apart > 0; apart /= 2) sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], apart);
            const int row = strip * rows + first + r;
            if (lane == r && row < m) y[row] = sum[r];
          }
        }
      });
}
// [end]

int main() {
  return example::main([] {
    const int             m = 5003, n = 1000;  // neither a multiple of a tile
    auto                  a = example::Array<__half>::random(std::size_t(m) * n);
    auto                  x = example::Array<float>::random(n);
    example::Array<float> y(m);

    auto map = tma::make_descriptor<Tile>(tma::TensorView{static_cast<const __half*>(a.device), {m, n}});
    int  sms = 0;
    example::require(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    tma::launch(
        gemv,
        {.grid = sms, .block = 384, .shared = tma::shared_bytes<Shared>, .registers = tma::registers_of(loading, summing)},
        map, x.device, y.device, m, n);

    y.download();
    return example::verify(
        "warp_specialized_gemv", y.host,
        [&](std::size_t i) {
          double sum = 0;
          for (int k = 0; k < n; ++k) sum += double(__half2float(a.host[i * n + k])) * x.host[k];
          return sum;
        },
        1e-4);
  });
}
