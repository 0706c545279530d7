// expect: tma: the descriptor was made for another tile: box, swizzle or element differ, so the copy would not fit
#include "common.hpp"

using Half    = tma::Tile<float, tma::Shape<16, 32>>;
using HalfMap = tma::TmaDescriptor<float, 2, Half>;
using Pipe    = tma::Pipeline<2, Tile, Half>;

__global__ void kernel(const __grid_constant__ HalfMap in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}, tma::slot<0>); }, [](const Tile&, const Half&, int) {});
#else
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}, tma::slot<1>); }, [](const Tile&, const Half&, int) {});
#endif
}
