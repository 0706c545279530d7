// expect: tma::first_named_barrier: where the named barriers of the roles begin is said by tma::first_named_barrier<N>
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

#ifndef FIXED
inline constexpr auto barriers = 3;
#else
inline constexpr auto barriers = tma::first_named_barrier<3>;
#endif

__global__ void kernel(const __grid_constant__ Map in) {
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); }, tma::consumer_groups<2, 2>,
      [&](auto& consumer) { consumer.next([](const Tile&) {}); }, barriers);
}
