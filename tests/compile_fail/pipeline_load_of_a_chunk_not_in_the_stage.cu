// expect: tma::Pipeline: no tile of this pipeline has the type of this load
// expect: (or a tma::Buffer of the chunk's size) among the pipeline's tiles
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile, tma::Buffer<float, 64>>;

__global__ void kernel(tma::AlignedPointer<const float> in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  pipe.for_each(2, [&](auto load, int i) { load(in.chunk<32>(i)); }, [](const auto&, const auto&, int) {});
#else
  pipe.for_each(2, [&](auto load, int i) { load(in.chunk<64>(i)); }, [](const auto&, const auto&, int) {});
#endif
}
