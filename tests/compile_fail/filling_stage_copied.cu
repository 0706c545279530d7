// expect: a_stage_is_committed_once__take_it_by_reference
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, tma::producer_warp<0>,
      [&](auto& producer) {
        auto stage = producer.acquire();
#ifndef FIXED
        auto copy = stage;
#else
        auto& copy = stage;
#endif
        copy.load(in, {0, 0});
      },
      tma::consumer_warps<2>, [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}
