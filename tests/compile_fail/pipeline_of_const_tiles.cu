// expect: tma::Pipeline: a stage holds tma::Tile and tma::Buffer objects
#include "common.hpp"

#ifndef FIXED
using Pipe = tma::Pipeline<2, const Tile>;
#else
using Pipe = tma::Pipeline<2, Tile>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
