// expect: tma::specialize: tiles that threads load are loaded by whole warps: tma::producer_warps<N>
#include "common.hpp"
#include <tma/pipeline/producer_group.hpp>
#include <tma/pipeline/thread_loads.hpp>

using Pipe = tma::Pipeline<2, tma::ThreadLoads, Tile>;

#ifndef FIXED
inline constexpr auto filling = tma::producers<2>;
#else
inline constexpr auto filling = tma::producer_warps<2>;
#endif

__global__ void kernel(const __grid_constant__ tma::ThreadDescriptor<const float, 2, Tile> in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, filling, [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); },
      tma::consumer_warps<2>, [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}
