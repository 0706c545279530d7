// expect: tma::specialize: at most 14 groups of consumers: each has a named barrier of its own
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

#ifndef FIXED
inline constexpr auto filling = tma::producer_warp<0>;
inline constexpr auto reading = tma::consumer_groups<15, 2>;
#else
inline constexpr auto filling = tma::producer_warp<0>;
inline constexpr auto reading = tma::consumer_groups<14, 2>;
#endif

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, filling, [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); }, reading,
      [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}
