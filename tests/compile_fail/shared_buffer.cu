// expect: tma: what blocks of a cluster share is a tma::Tile; in the place of a tma::Buffer a tile of one dimension
#include "common.hpp"
#include <tma/pipeline/cluster_parts.hpp>

using Line = tma::Tile<float, tma::Shape<256>>;
#ifndef FIXED
using Pipe = tma::Pipeline<2, tma::SharedInCluster<tma::Buffer<float, 256>, tma::ClusterShape<2>>>;
#else
using Pipe = tma::Pipeline<2, tma::SharedInCluster<Line, tma::ClusterShape<2>>>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
