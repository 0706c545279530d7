// expect: tma::Pipeline: tiles that blocks of a cluster share are multicast, which only the copy engine does: with tma::ThreadLoads each block loads all of its tiles
#include "common.hpp"
#include <tma/pipeline/cluster_parts.hpp>

#ifndef FIXED
using Pipe = tma::Pipeline<2, tma::ThreadLoads, tma::SharedInCluster<Tile, tma::ClusterShape<2>>>;
#else
using Pipe = tma::Pipeline<2, tma::SharedInCluster<Tile, tma::ClusterShape<2>>>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
