// expect: tma::Meta: a value that is copied as its bytes, has no constructor, and is not const
#include "common.hpp"

#ifndef FIXED
using Pipe = tma::Pipeline<2, Tile, tma::Meta<const int>>;
#else
using Pipe = tma::Pipeline<2, Tile, tma::Meta<int>>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
