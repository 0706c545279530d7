// expect: tma::specialize: a block has at most 32 warps: one producer and 1 to 31 consumers, or several producers and fewer of these
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

#ifndef FIXED
inline constexpr auto filling = tma::producers<5>;
inline constexpr auto reading = tma::consumer_groups<4, 7>;
#else
inline constexpr auto filling = tma::producers<4>;
inline constexpr auto reading = tma::consumer_groups<4, 7>;
#endif

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, filling, [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); }, reading,
      [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}
