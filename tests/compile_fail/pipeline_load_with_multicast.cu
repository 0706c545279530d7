// expect: tma::Pipeline: a load fills a stage of its own block alone. A multicast would overwrite the stage of another block
// expect: Name the part as one that blocks share
#include "cluster.hpp"
#include <tma/pipeline/cluster_parts.hpp>

using Own    = tma::Pipeline<2, Tile>;
using Shares = tma::Pipeline<2, tma::SharedInCluster<Tile, tma::ClusterShape<2>>>;

__global__ void kernel(const __grid_constant__ ConstMap in,
                       const __grid_constant__ tma::TmaDescriptor<const float, 2, tma::slice_t<Tile, 2>> slices) {
  auto cluster = tma::this_cluster<2>();
#ifndef FIXED
  Own pipe(tma::shared<Own::Shared>());
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}, cluster.everyone()); }, [](const Tile&, int) {});
#else
  Shares pipe(tma::shared<Shares::Shared>());
  pipe.for_each(2, [&](auto load, int i) { load(slices, {i, 0}); }, [](const Tile&, int) {});
#endif
}
