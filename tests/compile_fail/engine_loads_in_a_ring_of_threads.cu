// expect: tma::Pipeline: this pipeline's tiles are loaded by threads (tma::ThreadLoads): a kernel for both takes tma::descriptor_for<Loads, const T, Rank, Tile>
#include "thread_loads.hpp"

#ifndef FIXED
using Ring = Pipe<tma::ThreadLoads>;
#else
using Ring = Pipe<tma::EngineLoads>;
#endif

__global__ void kernel(const __grid_constant__ From<tma::EngineLoads> in) {
  Ring pipe(tma::shared<Ring::Shared>());
  pipe.for_each(3, [&](auto load, int i) { load(in, {i * 32, 0}); }, [&](const Tile&, int) {});
}
