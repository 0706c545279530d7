// expect: tma::Pipeline: this pipeline's tiles are loaded by threads (tma::ThreadLoads)
// expect: tma::descriptor_for<Loads, const T, Rank, Tile>
#include "common.hpp"
#include <tma/pipeline/thread_loads.hpp>

using Pipe = tma::Pipeline<2, tma::ThreadLoads, Tile>;

#ifndef FIXED
using In = ConstMap;
#else
using In = tma::descriptor_for<tma::ThreadLoads, const float, 2, Tile>;
#endif

__global__ void kernel(const __grid_constant__ In in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}); }, [](const Tile&, int) {});
}
