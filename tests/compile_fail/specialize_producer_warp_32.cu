// expect: tma::specialize: a block has at most 32 warps: one producer and 1 to 31 consumers
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
#ifndef FIXED
  constexpr int warp = 32;
#else
  constexpr int warp = 31;
#endif
  tma::specialize(
      ring, tma::producer_warp<warp>, [&](auto& producer) { producer.next([&](auto stage) { stage.load(in, {0, 0}); }); },
      tma::consumer_warps<2>, [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}
