// expect: tma::Pipeline: a kernel has one cluster: all parts that its blocks share name the same tma::ClusterShape
#include "common.hpp"
#include <tma/pipeline/cluster_parts.hpp>

using Square = tma::ClusterShape<2, 2>;
using Row    = tma::ClusterShape<1, 4>;
#ifndef FIXED
using Pipe = tma::Pipeline<2, tma::SharedInRow<Tile, Square>, tma::SharedInColumn<Tile, Row>>;
#else
using Pipe = tma::Pipeline<2, tma::SharedInRow<Tile, Square>, tma::SharedInColumn<Tile, Square>>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
