// A tile that several blocks need is read once: four blocks of a cluster have different rows of A and the same rows of B.
// Each loads a quarter of B's tile for all four, so that every byte of B comes once for the cluster. C = A B^T.
#include <tma/device/cluster.hpp>
#include <tma/tma.hpp>

#include "example.hpp"

constexpr int blocks = 4, rows = 64, columns = 64, step = 32, threads = 256, each = rows * columns / threads;

using TileA   = tma::Tile<float, tma::Shape<rows, step>>;
using Quarter = tma::Tile<float, tma::Shape<columns / blocks, step>>;

__global__ void gemm(const __grid_constant__ tma::TmaDescriptor<const float, 2, TileA> a,
                     const __grid_constant__ tma::TmaDescriptor<const float, 2, Quarter> b, float* c, int width, int depth) {
  struct Shared {
    TileA            a;
    Quarter          b[blocks];
    tma::LoadBarrier barrier;
  };
  auto& s = tma::shared<Shared>();
  // [program]
  auto [cluster, arrived] = tma::this_cluster<blocks>(s.barrier);
  auto&     block         = cluster.block();
  const int m = int(blockIdx.y) * rows, n = int(blockIdx.x) * columns;

  float sum[each] = {};
  for (int k = 0; k < depth; k += step) {
    if (auto issuer = cluster.elect()) {
      tma::LoadBatch batch(issuer, arrived);
      batch.load(a, {m, k}, s.a);
      for (int q = 0; q < blocks; ++q)
        if (q == cluster.rank()) batch.load(b, {n + q * columns / blocks, k}, s.b[q], cluster.everyone());
        else batch.expect(s.b[q]);  // another block's load brings it
    }
    arrived.wait();
    for (int i = 0; i < each; ++i) {
      const int r = (i * threads + block.rank()) / columns, column = block.rank() % columns;
      for (int x = 0; x < step; ++x)
        sum[i] = fmaf(s.a(r, x), s.b[column / (columns / blocks)](column % (columns / blocks), x), sum[i]);
    }
    cluster.release(s.b);  // all four have read it: any may load again
  }
  // [end]
  for (int i = 0; i < each; ++i)
    c[(m + (i * threads + block.rank()) / columns) * width + n + block.rank() % columns] = sum[i];
}

int main() {
  return example::main([] {
    const int             M = blocks * rows, N = 3 * columns, K = 100;  // the last step reaches past K: zeros add nothing
    auto                  a = example::Array<float>::random(M * K), b = example::Array<float>::random(N * K);
    example::Array<float> c(M * N);

    auto map_a = tma::make_descriptor<TileA>(tma::TensorView{a.device, {M, K}});
    auto map_b = tma::make_descriptor<Quarter>(tma::TensorView{b.device, {N, K}});
    tma::launch(gemm, {.grid = {N / columns, M / rows}, .block = threads, .cluster = {1, blocks}}, map_a, map_b, c.device, N,
                K);

    c.download();
    return example::verify(
        "multicast", c.host,
        [&](std::size_t i) {
          double sum = 0;
          for (int k = 0; k < K; ++k) sum += double(a.host[i / N * K + k]) * b.host[i % N * K + k];
          return sum;
        },
        1e-4);
  });
}
