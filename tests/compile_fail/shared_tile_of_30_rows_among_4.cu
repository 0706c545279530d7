// expect: tma: a tile that blocks share is cut along its first extent, which is a multiple of their number
#include "common.hpp"
#include <tma/pipeline/cluster_parts.hpp>

using Rows30 = tma::Tile<float, tma::Shape<30, 32>>;
using Rows28 = tma::Tile<float, tma::Shape<28, 32>>;
#ifndef FIXED
using Pipe = tma::Pipeline<2, tma::SharedInCluster<Rows30, tma::ClusterShape<4>>>;
#else
using Pipe = tma::Pipeline<2, tma::SharedInCluster<Rows28, tma::ClusterShape<4>>>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
