// expect: tma: a count must be an integer
#include "common.hpp"

using Pipe = tma::Pipeline<4, Tile>;

__global__ void kernel(const __grid_constant__ Map in, float* out, float n) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  pipe.for_each(n, [&](auto load, int i) { load(in, {i, 0}); }, [&](const Tile& tile, int i) { out[i] = tile[0]; });
#else
  pipe.for_each(int(n), [&](auto load, int i) { load(in, {i, 0}); }, [&](const Tile& tile, int i) { out[i] = tile[0]; });
#endif
}
