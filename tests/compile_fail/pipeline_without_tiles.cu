// expect: tma::Pipeline: a stage has at least one tile
#include "common.hpp"

#ifndef FIXED
using Pipe = tma::Pipeline<4>;
#else
using Pipe = tma::Pipeline<4, Tile>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
