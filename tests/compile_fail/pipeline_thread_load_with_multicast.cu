// expect: tma::Pipeline: a load fills a stage of its own block alone. A multicast would overwrite the stage of another block
#include "cluster.hpp"
#include <tma/pipeline/thread_loads.hpp>

using Pipe = tma::Pipeline<2, tma::ThreadLoads, Tile>;

__global__ void kernel(const __grid_constant__ tma::ThreadDescriptor<const float, 2, Tile> in) {
  auto cluster = tma::this_cluster<2>();
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}, cluster.everyone()); }, [](const Tile&, int) {});
#else
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}); }, [](const Tile&, int) {});
#endif
}
