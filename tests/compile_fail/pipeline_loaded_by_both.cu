// expect: tma::Pipeline: either the copy engine loads a pipeline's tiles or threads do
#include "common.hpp"

#ifndef FIXED
using Pipe = tma::Pipeline<2, tma::EngineLoads, tma::ThreadLoads, Tile>;
#else
using Pipe = tma::Pipeline<2, tma::EngineLoads, Tile>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
