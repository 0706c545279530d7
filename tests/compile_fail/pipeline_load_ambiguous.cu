// expect: tma::Pipeline: several tiles of this pipeline have this type; say which: load(descriptor, at, tma::slot<0>)
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}); }, [](const Tile&, const Tile&, int) {});
#else
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}, tma::slot<1>); }, [](const Tile&, const Tile&, int) {});
#endif
}
