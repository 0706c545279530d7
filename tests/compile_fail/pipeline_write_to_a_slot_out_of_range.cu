// expect: tma::Pipeline: the stage has no part at this slot
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile, tma::ByThreads<Tile>>;

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, tma::producer_warp<0>,
      [&](auto& producer) {
        producer.next([&](auto& stage) {
          stage.load(in, {0, 0}, tma::slot<0>);
#ifndef FIXED
          stage[tma::slot<2>][0] = 1;
#else
          stage[tma::slot<1>][0] = 1;
#endif
        });
      },
      tma::consumer_warps<2>, [&](auto& consumer) { consumer.next([](const auto&...) {}); });
}
