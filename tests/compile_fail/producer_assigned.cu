// expect: a_producer_has_its_phases_once__take_it_by_reference
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, tma::producer_warp<0>,
      [&](auto& producer) {
#ifndef FIXED
        producer = producer;
#endif
        producer.next([&](auto& stage) { stage.load(in, {0, 0}); });
      },
      tma::consumer_warps<2>, [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}
