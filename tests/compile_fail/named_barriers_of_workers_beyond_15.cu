// expect: tma::first_named_barrier: the named barriers of the roles must be among 1 to 15 (0 is __syncthreads)
#include <tma/pipeline/in_place_roles.hpp>

#include "common.hpp"

using Pipe = tma::InPlacePipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map map) {
  tma::transform(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& mover) {
        mover.for_each(2, [&](auto load, int i) { load(map, {i, 0}); }, [&](auto store, int i) { store(map, {i, 0}); });
      },
      tma::consumer_warps<2>, [&](auto& worker) { worker.next([](Tile&) {}), worker.next([](Tile&) {}); },
#ifndef FIXED
      tma::first_named_barrier<16>);
#else
      tma::first_named_barrier<15>);
#endif
}
