// expect: tma::transform: the first argument is the shared memory of a tma::InPlacePipeline
#include <tma/pipeline/in_place_roles.hpp>

#include "common.hpp"

using Pipe = tma::InPlacePipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map map) {
#ifndef FIXED
  auto& ring = tma::shared<tma::Pipeline<2, Tile>::Shared>();
#else
  auto& ring = tma::shared<Pipe::Shared>();
#endif
  tma::transform(
      ring, tma::producer_warp<0>,
      [&](auto& mover) {
        mover.for_each(2, [&](auto load, int i) { load(map, {i, 0}); }, [&](auto store, int i) { store(map, {i, 0}); });
      },
      tma::consumer_warps<2>, [&](auto& worker) { worker.next([](Tile&) {}), worker.next([](Tile&) {}); });
}
