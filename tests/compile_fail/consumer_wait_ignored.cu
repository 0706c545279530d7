// expect: ignoring return value from routine declared with "nodiscard" attribute
// flags: -Werror=all-warnings
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, tma::producer_warp<0>, [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
#ifndef FIXED
        consumer.wait();
#else
        auto stage = consumer.wait();
        stage.release();
#endif
      });
}
