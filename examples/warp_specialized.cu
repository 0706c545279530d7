// A producer warp and consumer warps: C = A B^T in plain arithmetic, 64 x 128 of C a block, both operands through one ring.
#include <tma/tma.hpp>

#include "example.hpp"

using TileA = tma::Tile<float, tma::Shape<64, 64>>;
using TileB = tma::Tile<float, tma::Shape<128, 64>>;
using Pipe  = tma::Pipeline<3, TileA, TileB>;

struct Accumulators {
  float value[32] = {};
};

// Thread t of 256 owns column t % 128 and 32 rows of the block's part of C.
__device__ void multiply(Accumulators& acc, const TileA& a, const TileB& b, int rank) {
  for (int k = 0; k < 64; ++k)
    for (int r = 0; r < 32; ++r) acc.value[r] = fmaf(a(rank / 128 * 32 + r, k), b(rank % 128, k), acc.value[r]);
}

__device__ void write(const Accumulators& acc, float* c, int m, int n, int columns, int rank) {
  for (int r = 0; r < 32; ++r) c[(m + rank / 128 * 32 + r) * columns + n + rank % 128] = acc.value[r];
}

__global__ void gemm(const __grid_constant__ tma::TmaDescriptor<const float, 2, TileA> a,
                     const __grid_constant__ tma::TmaDescriptor<const float, 2, TileB> b, float* c, int columns, int steps) {
  const int    m = int(blockIdx.y) * 64, n = int(blockIdx.x) * 128;
  auto&        pipe = tma::shared<Pipe::Shared>();
  Accumulators acc;
  // clang-format off
  // [program]
  tma::specialize(pipe, tma::producer_warp<0>, [&](auto& producer) {
    for (int k = 0; k < steps; ++k) producer.next([&](auto stage) { stage.load(a, {m, k * 64}); stage.load(b, {n, k * 64}); });
  }, tma::consumer_warps<8>, [&](auto& consumer) {
    for (int k = 0; k < steps; ++k) consumer.next([&](const TileA& a, const TileB& b) { multiply(acc, a, b, consumer.rank()); });
  });
  // [end]
  // clang-format on
  if (threadIdx.x >= 32) write(acc, c, m, n, columns, int(threadIdx.x) - 32);  // the consumers
}

int main() {
  return example::main([] {
    const int             M = 192, N = 256, K = 500;  // the last step reaches past K: zeros add nothing
    auto                  a = example::Array<float>::random(M * K), b = example::Array<float>::random(N * K);
    example::Array<float> c(M * N);

    auto map_a = tma::make_descriptor<TileA>(tma::TensorView{a.device, {M, K}});
    auto map_b = tma::make_descriptor<TileB>(tma::TensorView{b.device, {N, K}});
    tma::launch(gemm, {.grid = {N / 128, M / 64}, .block = 9 * 32, .shared = tma::shared_bytes<Pipe::Shared>}, map_a, map_b,
                c.device, N, (K + 63) / 64);

    c.download();
    return example::verify(
        "warp_specialized", c.host,
        [&](std::size_t i) {
          double sum = 0;
          for (int k = 0; k < K; ++k) sum += double(a.host[i / N * K + k]) * b.host[i % N * K + k];
          return sum;
        },
        1e-3);
  });
}
