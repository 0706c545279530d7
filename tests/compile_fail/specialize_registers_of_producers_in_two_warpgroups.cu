// expect: tma::specialize: registers belong to warpgroups of 4 warps: the consumers are whole ones, and the producers in one of their own
#include "common.hpp"
#include <tma/device/register_budget.hpp>

using Pipe = tma::Pipeline<2, Tile>;

#ifndef FIXED
inline constexpr auto filling = tma::producers<5, 40>;
inline constexpr auto reading = tma::consumer_warps<8, 160>;
#else
inline constexpr auto filling = tma::producers<4, 40>;
inline constexpr auto reading = tma::consumer_warps<8, 160>;
#endif

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, filling, [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); }, reading,
      [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}
