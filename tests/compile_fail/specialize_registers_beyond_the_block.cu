// expect: tma::specialize: there are not as many registers: the consumers would wait for them forever
// expect: 3 warpgroups have 3 x 168: 40 + 2 x 232
#include "common.hpp"
#include <tma/device/register_budget.hpp>

using Pipe = tma::Pipeline<2, Tile>;

#ifndef FIXED
inline constexpr auto filling = tma::producer_warp<0, 40>;
inline constexpr auto reading = tma::consumer_warps<8, 240>;
#else
inline constexpr auto filling = tma::producer_warp<0, 24>;
inline constexpr auto reading = tma::consumer_warps<8, 240>;
#endif

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, filling, [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); }, reading,
      [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}
