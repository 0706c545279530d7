// expect: tma::ClusterShape: a cluster has at most 8 blocks, 16 where the device allows it
#include "common.hpp"
#include <tma/pipeline/cluster_parts.hpp>

#ifndef FIXED
using Pipe = tma::Pipeline<2, tma::SharedInCluster<Tile, tma::ClusterShape<4, 5>>>;
#else
using Pipe = tma::Pipeline<2, tma::SharedInCluster<Tile, tma::ClusterShape<4, 4>>>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
