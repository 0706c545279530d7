// expect: tma::Pipeline: only a group whose stages are used by other groups of its block as well may leave before the end
// expect: Otherwise go past what is left: consumer.skip(n)
#include "common.hpp"
#include <tma/device/barrier_forms.hpp>
using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, tma::producer_warp<0>, [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); },
      tma::taking_turns<2, 1>,
      [&](auto& consumer) {
        if (consumer.group() == 0) consumer.next([](const Tile&) {});
#ifndef FIXED
        else consumer.leave();
#else
        else consumer.skip();
#endif
      });
}
