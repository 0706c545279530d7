// expect: tma::transform: one thread moves and one group of warps works: tma::producer_warp<W> and tma::consumer_warps<N>
#include <tma/pipeline/in_place_roles.hpp>

#include "common.hpp"

using Pipe = tma::InPlacePipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map map) {
#ifndef FIXED
  constexpr auto workers = tma::consumer_groups<2, 1>;
#else
  constexpr auto workers = tma::consumer_warps<2>;
#endif
  tma::transform(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& mover) {
        mover.for_each(2, [&](auto load, int i) { load(map, {i, 0}); }, [&](auto store, int i) { store(map, {i, 0}); });
      },
      workers, [&](auto& worker) { worker.next([](Tile&) {}), worker.next([](Tile&) {}); });
}
