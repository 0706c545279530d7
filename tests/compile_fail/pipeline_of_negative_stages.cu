// expect: tma::Pipeline: at least one stage
// Three arrays of a negative size come on top.
// errors: 4
#include "common.hpp"

#ifndef FIXED
using Pipe = tma::Pipeline<-2, Tile>;
#else
using Pipe = tma::Pipeline<2, Tile>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
