// expect: tma::Pipeline: a load fills a stage of its own block alone. A multicast would overwrite the stage of another block
#include "cluster.hpp"
#include <tma/pipeline/cluster_parts.hpp>

// Of a ring that blocks share a part that is each block's own.
using Other = tma::Tile<float, tma::Shape<8, 32>>;
using Pipe  = tma::Pipeline<2, tma::SharedInCluster<Tile, tma::ClusterShape<2>>, Other>;

__global__ void kernel(const __grid_constant__ tma::TmaDescriptor<const float, 2, Other> in) {
  auto cluster = tma::this_cluster<2>();
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  auto issue = [&](auto& stage, int i) { stage.load(in, {i, 0}, tma::slot<1>, cluster.everyone()); };
#else
  auto issue = [&](auto& stage, int i) { stage.load(in, {i, 0}, tma::slot<1>); };
#endif
  pipe.for_each(2, issue, [](const Tile&, const Other&, int) {});
}
