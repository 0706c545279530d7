// expect: tma: the count has 64 bits, and this function takes the step as a narrower number, which would cut it
#include "common.hpp"

using Pipe = tma::Pipeline<4, Tile>;

__global__ void kernel(const __grid_constant__ Map in, float* out, long n) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  auto issue = [&](auto load, int i) { load(in, {i, 0}); };
#else
  auto issue = [&](auto load, long i) { load(in, {int(i % 8), 0}); };
#endif
  pipe.for_each(n, issue, [&](const Tile& tile, auto i) { out[i] = tile[0]; });
}
