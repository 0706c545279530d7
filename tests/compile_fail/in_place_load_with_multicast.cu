// expect: tma::InPlacePipeline: a load fills a stage of its own block alone. A multicast would overwrite the stage of another block
#include "cluster.hpp"
#include <tma/pipeline/in_place.hpp>

using Pipe = tma::InPlacePipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ ConstMap from,
                       const __grid_constant__ tma::TmaDescriptor<float, 2, Tile> to) {
  auto cluster = tma::this_cluster<2>();
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  auto issue = [&](auto load, int i) { load(from, {i, 0}, cluster.everyone()); };
#else
  auto issue = [&](auto load, int i) { load(from, {i, 0}); };
#endif
  pipe.for_each(2, issue, [](Tile&, int) {}, [&](auto store, int i) { store(to, {i, 0}); });
}
