// expect: tma::Pipeline: a stage has at least one tile
#include "common.hpp"

#ifndef FIXED
using Pipe = tma::Pipeline<2, tma::ThreadLoads>;
#else
using Pipe = tma::Pipeline<2, tma::ThreadLoads, Tile>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
