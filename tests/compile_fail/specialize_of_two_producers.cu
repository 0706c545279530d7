// expect: tma::specialize: the roles are tma::producer_warp<W>, tma::producers<N> or tma::producer_warps<N>
// expect: tma::consumer_warps<N>, tma::consumer_groups<G, W> or tma::taking_turns<G, W>
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

#ifndef FIXED
inline constexpr auto filling = tma::producer_warp<0>;
inline constexpr auto reading = tma::producers<2>;
#else
inline constexpr auto filling = tma::producer_warp<0>;
inline constexpr auto reading = tma::consumer_warps<2>;
#endif

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, filling, [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); }, reading,
      [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}
