// expect: tma::Pipeline: threads load into a pipeline of theirs, tma::Pipeline<Stages, tma::ThreadLoads, Tile>, or into a part that is theirs
#include "common.hpp"
#include <tma/pipeline/thread_loads.hpp>

#ifndef FIXED
using Pipe = tma::Pipeline<2, Tile>;
#else
using Pipe = tma::Pipeline<2, tma::ThreadLoads, Tile>;
#endif

__global__ void kernel(const __grid_constant__ tma::ThreadDescriptor<const float, 2, Tile> in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}); }, [](const Tile&, int) {});
}
