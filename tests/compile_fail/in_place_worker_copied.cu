// expect: a_group_is_one_threads_view__pass_it_by_reference
#include <tma/pipeline/in_place_roles.hpp>

#include "common.hpp"

using Pipe = tma::InPlacePipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map map) {
  tma::transform(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& mover) {
        mover.for_each(1, [&](auto load, int i) { load(map, {i, 0}); }, [&](auto store, int i) { store(map, {i, 0}); });
      },
      tma::consumer_warps<2>,
      [&](auto& worker) {
#ifndef FIXED
        auto copy = worker;
#else
        auto& copy = worker;
#endif
        copy.next([](Tile&) {});
      });
}
