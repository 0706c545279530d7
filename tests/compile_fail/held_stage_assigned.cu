// expect: a_stage_is_freed_once__take_it_by_reference
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, tma::producer_warp<0>, [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
        auto previous = consumer.none();
        auto stage    = consumer.wait();
#ifndef FIXED
        previous = stage;
#else
        previous = static_cast<decltype(stage)&&>(stage);
#endif
      });
}
