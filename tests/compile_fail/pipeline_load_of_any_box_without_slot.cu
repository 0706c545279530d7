// expect: tma::Pipeline: no tile of this pipeline has the type of this load
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ tma::TmaDescriptor<float, 2> in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}); }, [](const Tile&, int) {});
#else
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}, tma::slot<0>); }, [](const Tile&, int) {});
#endif
}
