// expect: tma::Pipeline: of a tile that blocks of a cluster share each of them loads a slice: the descriptor is one of tma::slice_t<Tile, Blocks>
#include "common.hpp"
#include <tma/pipeline/cluster_parts.hpp>

using Pipe = tma::Pipeline<2, tma::SharedInCluster<Tile, tma::ClusterShape<2>>>;

#ifndef FIXED
using In = ConstMap;
#else
using In = tma::TmaDescriptor<const float, 2, tma::slice_t<Tile, 2>>;
#endif

__global__ void kernel(const __grid_constant__ In in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}, tma::slot<0>); }, [](const Tile&, int) {});
}
