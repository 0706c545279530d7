// expect: tma::Pipeline: no tile of this pipeline has the type of this load. Name the descriptor's tile
#include "common.hpp"

using Half    = tma::Tile<float, tma::Shape<16, 32>>;
using HalfMap = tma::TmaDescriptor<float, 2, Half>;
#ifndef FIXED
using Pipe = tma::Pipeline<2, Tile>;
#else
using Pipe = tma::Pipeline<2, Half>;
#endif

__global__ void kernel(const __grid_constant__ HalfMap in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}); }, [](const auto&, int) {});
}
