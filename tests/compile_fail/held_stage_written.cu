// expect: expression must be a modifiable lvalue
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in, float* out) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, tma::producer_warp<0>, [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); },
      tma::consumer_warps<2>,
      [&](auto& consumer) {
        auto stage = consumer.wait();
#ifndef FIXED
        stage[tma::slot<0>][consumer.rank()] = 1;
#else
        out[consumer.rank()] = stage[tma::slot<0>][consumer.rank()];
#endif
      });
}
