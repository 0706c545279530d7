// expect: tma: a count must be an integer
#include "common.hpp"

using Pipe = tma::Pipeline<4, Tile>;

__global__ void kernel(const __grid_constant__ Map in, float n) {
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        for (int i = 0; i < n; ++i) producer.next([&](auto& stage) { stage.load(in, {i, 0}); });
      },
#ifndef FIXED
      tma::consumer_warps<2>, [&](auto& consumer) { consumer.skip(n); });
#else
      tma::consumer_warps<2>, [&](auto& consumer) { consumer.skip(int(n)); });
#endif
}
