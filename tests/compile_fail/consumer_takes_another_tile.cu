// expect: tma::Pipeline: the consumer takes the stage's tiles, each as a const reference, and the step in for_each
#include "common.hpp"

using Pipe  = tma::Pipeline<2, Tile>;
using Other = tma::Tile<int, tma::Shape<32, 32>>;

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, tma::producer_warp<0>, [&](auto& producer) { producer.next([&](auto stage) { stage.load(in, {0, 0}); }); },
#ifndef FIXED
      tma::consumer_warps<2>, [&](auto& consumer) { consumer.next([](const Other&) {}); });
#else
      tma::consumer_warps<2>, [&](auto& consumer) { consumer.next([](const Tile&) {}); });
#endif
}
