// expect: tma::Pipeline: the consumer takes the stage's tiles, each as a const reference
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile, tma::Meta<int>>;

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, tma::producer_warp<0>, [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
#ifndef FIXED
        consumer.next([](const Tile&) {});
#else
        consumer.next([](const Tile&, int) {});
#endif
      });
}
