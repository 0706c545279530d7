// expect: tma::first_named_barrier: the named barriers of the roles must be among 1 to 15 (0 is __syncthreads)
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

#ifndef FIXED
inline constexpr auto barriers = tma::first_named_barrier<15>;
#else
inline constexpr auto barriers = tma::first_named_barrier<14>;
#endif

__global__ void kernel(const __grid_constant__ Map in) {
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); }, tma::consumer_groups<2, 2>,
      [&](auto& consumer) { consumer.next([](const Tile&) {}); }, barriers);
}
