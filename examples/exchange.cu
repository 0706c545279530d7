// Blocks of a cluster exchange halos: each keeps a strip of a plate in shared memory for the whole time, and in every step
// the engine sends its first and last row to the neighbours. Global memory is read once and written once.
#include <tma/device/cluster.hpp>
#include <tma/tma.hpp>

#include "example.hpp"

constexpr int blocks = 4, rows = 8, columns = 96, steps = 20, plates = 3;

using Row = tma::Buffer<float, columns>;

__host__ __device__ float next(float x, float up, float down, float left, float right) {
  return fmaf(0.1f, up + down + left + right - 4 * x, x);
}

__global__ void diffuse(const float* in, float* out) {
  struct Shared {
    Row              strip[2][rows + 2];  // now and next; above and below the strip lie the neighbours' rows
    tma::LoadBarrier above, below;
  };
  auto& s                                = tma::shared<Shared>();
  auto [cluster, from_above, from_below] = tma::this_cluster<blocks>(s.above, s.below);
  auto&     block                        = cluster.block();
  const int first = int(blockIdx.x) * rows * columns, up = cluster.rank() - 1, down = cluster.rank() + 1;

  for (int i = block.rank(); i < (rows + 2) * columns; i += block.size()) {
    const int r                = i / columns;
    s.strip[0][r][i % columns] = r == 0 || r > rows ? 0 : in[first + i - columns];
    s.strip[1][r][i % columns] = 0;
  }
  cluster.release(s.strip);
  // [program]
  for (int t = 0; t < steps; ++t) {
    auto &now = s.strip[t % 2], &then = s.strip[1 - t % 2];

    auto [top, bottom] = block.publish(now[1], now[rows]);
    if (auto issuer = cluster.elect()) {
      if (up >= 0) issuer.send(top, cluster.peer(now[rows + 1], up), cluster.peer(from_below, up));
      if (down < blocks) issuer.send(bottom, cluster.peer(now[0], down), cluster.peer(from_above, down));
    }
    if (up >= 0) from_above.wait();
    if (down < blocks) from_below.wait();
    for (int i = block.rank(); i < rows * columns; i += block.size()) {
      const int r = i / columns + 1, c = i % columns;
      then[r][c] =
          next(now[r][c], now[r - 1][c], now[r + 1][c], c > 0 ? now[r][c - 1] : 0, c + 1 < columns ? now[r][c + 1] : 0);
    }
    cluster.release(now);  // what was sent has come and was read: the next step may send again
  }
  // [end]
  for (int i = block.rank(); i < rows * columns; i += block.size())
    out[first + i] = s.strip[steps % 2][i / columns + 1][i % columns];
}

int main() {
  return example::main([] {
    const int             height = blocks * rows;
    auto                  a      = example::Array<float>::random(plates * height * columns);
    example::Array<float> b(a.host.size());

    tma::launch(diffuse, {.grid = plates * blocks, .block = 128, .cluster = blocks}, a.device, b.device);

    std::vector<float> now = a.host, then(now.size());
    for (int t = 0; t < steps; ++t, std::swap(now, then))
      for (int i = 0; i < int(now.size()); ++i) {
        const int  r = i / columns % height, c = i % columns;
        const auto at = [&](bool inside, int k) { return inside ? now[std::size_t(k)] : 0; };
        then[i]       = next(now[i], at(r > 0, i - columns), at(r + 1 < height, i + columns), at(c > 0, i - 1),
                             at(c + 1 < columns, i + 1));
      }
    b.download();
    return example::verify("exchange", b.host, [&](std::size_t i) { return now[i]; });
  });
}
