// expect: tma::Pipeline: at least one stage
#include "common.hpp"

#ifndef FIXED
using Pipe = tma::Pipeline<0, Tile>;
#else
using Pipe = tma::Pipeline<1, Tile>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
