// expect: tma::InPlacePipeline: at least one stage
#include <tma/pipeline/in_place.hpp>

#include "common.hpp"

#ifndef FIXED
using Pipe = tma::InPlacePipeline<0, Tile>;
#else
using Pipe = tma::InPlacePipeline<1, Tile>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
