// expect: tma: a tile that blocks share is cut along its first extent, which is a multiple of their number
#include "common.hpp"
#include <tma/pipeline/cluster_parts.hpp>

using Rows2 = tma::Tile<float, tma::Shape<2, 32>>;
using Rows4 = tma::Tile<float, tma::Shape<4, 32>>;
#ifndef FIXED
using Pipe = tma::Pipeline<2, tma::SharedInCluster<Rows2, tma::ClusterShape<4>>>;
#else
using Pipe = tma::Pipeline<2, tma::SharedInCluster<Rows4, tma::ClusterShape<4>>>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
