// expect: tma::Pipeline: of a tile that blocks of a cluster share each of them loads a slice: the descriptor is one of tma::slice_t<Tile, Blocks>
#include "common.hpp"
#include <tma/pipeline/cluster_parts.hpp>

using Pipe = tma::Pipeline<2, tma::SharedInCluster<Tile, tma::ClusterShape<2>>, tma::Buffer<float, 1024>>;

__global__ void kernel(tma::AlignedPointer<const float> in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  pipe.for_each(2, [&](auto load, int i) { load(in.chunk<1024>(i), tma::slot<0>); }, [](const Tile&, const auto&, int) {});
#else
  pipe.for_each(2, [&](auto load, int i) { load(in.chunk<1024>(i), tma::slot<1>); }, [](const Tile&, const auto&, int) {});
#endif
}
