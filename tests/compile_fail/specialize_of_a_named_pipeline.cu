// expect: tma::specialize: the first argument is the pipeline's shared memory: auto& ring = tma::shared<Pipe::Shared>()
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
#ifndef FIXED
  Pipe ring(tma::shared<Pipe::Shared>());
#else
  auto& ring = tma::shared<Pipe::Shared>();
#endif
  tma::specialize(
      tma::named("main", ring), tma::producer_warp<0>,
      [&](auto& producer) { producer.next([&](auto stage) { stage.load(in, {0, 0}); }); }, tma::consumer_warps<2>,
      [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}
