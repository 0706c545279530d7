// expect: tma::specialize: a block has at most 32 warps: one producer and 1 to 31 consumers
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
#ifndef FIXED
  constexpr int consumers = 0;
#else
  constexpr int consumers = 1;
#endif
  tma::specialize(
      ring, tma::producer_warp<0>, [&](auto& producer) { producer.next([&](auto stage) { stage.load(in, {0, 0}); }); },
      tma::consumer_warps<consumers>, [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}
