// expect: tma::shared: the object does not fit the 227 KiB of shared memory that a block can have. Use fewer stages
#include "common.hpp"

#ifndef FIXED
using Pipe = tma::Pipeline<64, Tile>;
#else
using Pipe = tma::Pipeline<48, Tile>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
