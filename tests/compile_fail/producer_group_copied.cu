// expect: a_producer_has_its_phases_once__take_it_by_reference
#include "common.hpp"
#include <tma/pipeline/producer_group.hpp>
using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, tma::producer_warps<1>,
      [&](auto& producer) {
#ifndef FIXED
        auto copy = producer;
#else
        auto& copy = producer;
#endif
        copy.next([&](auto& stage) { stage.load(in, {0, 0}); });
      },
      tma::consumer_warps<2>, [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}
