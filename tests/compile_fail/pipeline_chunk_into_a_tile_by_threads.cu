// expect: tma::Pipeline: threads load a chunk into a tma::Buffer of its type and size
#include "common.hpp"
#include <tma/pipeline/thread_loads.hpp>

using Line = tma::Buffer<float, 1024>;
using Pipe = tma::Pipeline<2, tma::ThreadLoads, Tile, Line>;

__global__ void kernel(tma::AlignedPointer<const float> in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  pipe.for_each(2, [&](auto load, int i) { load(in.chunk<1024>(i), tma::slot<0>); }, [](const Tile&, const Line&, int) {});
#else
  pipe.for_each(2, [&](auto load, int i) { load(in.chunk<1024>(i), tma::slot<1>); }, [](const Tile&, const Line&, int) {});
#endif
}
