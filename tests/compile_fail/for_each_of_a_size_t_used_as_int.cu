// expect: tma: the count has 64 bits, and this function takes the step as a narrower number, which would cut it
#include "common.hpp"

using Pipe = tma::Pipeline<4, Tile>;

__global__ void kernel(const __grid_constant__ Map in, float* out, unsigned long n) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  auto use = [&](const Tile& tile, int i) { out[i] = tile[0]; };
#else
  auto use = [&](const Tile& tile, long long i) { out[i] = tile[0]; };
#endif
  pipe.for_each(n, [&](auto load, auto i) { load(in, {int(i % 8), 0}); }, use);
}
