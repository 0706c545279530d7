// expect: tma: this copy does not take this modifier, or not twice
#include "common.hpp"
#include <tma/pipeline/cluster_parts.hpp>

using Pipe = tma::Pipeline<2, tma::SharedInCluster<Tile, tma::ClusterShape<2>>>;

__global__ void kernel(const __grid_constant__ tma::TmaDescriptor<const float, 2, tma::slice_t<Tile, 2>> in) {
  auto cluster = tma::this_cluster<2>();
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}, cluster.everyone()); }, [](const Tile&, int) {});
#else
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}); }, [](const Tile&, int) {});
#endif
}
