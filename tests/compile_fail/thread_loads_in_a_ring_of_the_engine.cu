// expect: tma::Pipeline: threads load into a pipeline of theirs, tma::Pipeline<Stages, tma::ThreadLoads, Tile>, or into a part that is theirs
#include "thread_loads.hpp"

#ifndef FIXED
using Ring = Pipe<tma::EngineLoads>;
#else
using Ring = Pipe<tma::ThreadLoads>;
#endif

__global__ void kernel(const __grid_constant__ From<tma::ThreadLoads> in) {
  Ring pipe(tma::shared<Ring::Shared>());
  pipe.for_each(3, [&](auto load, int i) { load(in, {i * 32, 0}); }, [&](const Tile&, int) {});
}
