// expect: tma: the count has 64 bits, and this function takes the step as a narrower number, which would cut it
#include <tma/pipeline/in_place_roles.hpp>

#include "common.hpp"

using Pipe = tma::InPlacePipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map map, long n) {
  tma::transform(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& mover) {
#ifndef FIXED
        auto fetch = [&](auto load, int i) { load(map, {i, 0}); };
#else
        auto fetch = [&](auto load, long i) { load(map, {int(i % 8), 0}); };
#endif
        mover.for_each(n, fetch, [&](auto store, auto i) { store(map, {int(i % 8), 0}); });
      },
      tma::consumer_warps<2>,
      [&](auto& worker) {
        for (long i = 0; i < n; ++i) worker.next([](Tile& tile) { tile[0] = 1; });
      });
}
