// expect: tma: the count has 64 bits, and this function takes the step as a narrower number, which would cut it
#include "common.hpp"

using Pipe = tma::Pipeline<4, Tile>;

__global__ void kernel(const __grid_constant__ Map in, float* out, unsigned long n) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  auto use = [&](const Tile& tile, unsigned i, auto& stage) { out[i] = tile[0], stage.release(); };
#else
  auto use = [&](const Tile& tile, auto i, auto& stage) { out[i] = tile[0], stage.release(); };
#endif
  pipe.for_each(n, [&](auto load, auto i) { load(in, {int(i % 8), 0}); }, use);
}
