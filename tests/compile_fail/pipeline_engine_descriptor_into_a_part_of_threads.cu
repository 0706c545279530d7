// expect: tma::Pipeline: the copy engine loads parts that are a tma::Tile or a tma::Buffer; a tma::ByThreads is written by threads
// expect: or loaded by them through a tma::ThreadDescriptor
#include "common.hpp"

#ifndef FIXED
using Pipe = tma::Pipeline<2, tma::ByThreads<Tile>>;
#else
using Pipe = tma::Pipeline<2, Tile>;
#endif

__global__ void kernel(const __grid_constant__ Map in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}); }, [](const Tile&, int) {});
}
