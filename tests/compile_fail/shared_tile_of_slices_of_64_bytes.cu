// expect: tma: the slices of a shared tile begin where its swizzle begins: each is a multiple of 128 bytes, or of 256, 512 and 1024 with the 32, 64 and 128-byte swizzle
// expect: Make the tile longer, or share it among fewer blocks
#include "common.hpp"
#include <tma/pipeline/cluster_parts.hpp>

using Short = tma::Tile<float, tma::Shape<4, 16>>;
#ifndef FIXED
using Pipe = tma::Pipeline<2, tma::SharedInCluster<Short, tma::ClusterShape<4>>>;
#else
using Pipe = tma::Pipeline<2, tma::SharedInCluster<Short, tma::ClusterShape<2>>>;
#endif

__global__ void kernel() { Pipe pipe(tma::shared<Pipe::Shared>()); }
