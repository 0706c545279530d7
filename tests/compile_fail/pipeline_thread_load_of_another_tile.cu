// expect: tma::Pipeline: the descriptor was made for another tile than the part at this slot
#include "common.hpp"
#include <tma/pipeline/thread_loads.hpp>

using Half = tma::Tile<float, tma::Shape<16, 32>>;
using Pipe = tma::Pipeline<2, tma::ThreadLoads, Tile, Half>;

__global__ void kernel(const __grid_constant__ tma::ThreadDescriptor<const float, 2, Half> in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}, tma::slot<0>); }, [](const Tile&, const Half&, int) {});
#else
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}, tma::slot<1>); }, [](const Tile&, const Half&, int) {});
#endif
}
