// expect: tma::Pipeline: the consumer takes the stage's tiles, each as a const reference, and the step in for_each
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}); }, [](Tile& tile, int) { tile[0] = 0; });
#else
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}); }, [](const Tile&, int) {});
#endif
}
