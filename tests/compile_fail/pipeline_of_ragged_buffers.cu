// expect: tma::Pipeline: a stage holds tma::Tile and tma::Buffer objects
#include "common.hpp"

#ifndef FIXED
using Pipe = tma::Pipeline<4, tma::RaggedBuffer<float, 64>>;
#else
using Pipe = tma::Pipeline<4, tma::Buffer<float, 64>>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
