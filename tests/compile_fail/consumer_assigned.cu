// expect: a_group_is_one_threads_view__pass_it_by_reference
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, tma::producer_warp<0>, [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
#ifndef FIXED
        consumer = consumer;
#endif
        consumer.next([](const Tile&) {});
      });
}
