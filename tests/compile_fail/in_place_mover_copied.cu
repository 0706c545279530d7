// expect: a_mover_has_its_phases_once__take_it_by_reference
#include <tma/pipeline/in_place_roles.hpp>

#include "common.hpp"

using Pipe = tma::InPlacePipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map map) {
  tma::transform(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& mover) {
#ifndef FIXED
        auto copy = mover;
#else
        auto& copy = mover;
#endif
        copy.for_each(2, [&](auto load, int i) { load(map, {i, 0}); }, [&](auto store, int i) { store(map, {i, 0}); });
      },
      tma::consumer_warps<2>, [&](auto& worker) { worker.next([](Tile&) {}), worker.next([](Tile&) {}); });
}
