// expect: tma::specialize: tiles that threads load are loaded by whole warps: tma::producer_warps<N>
#include "thread_loads.hpp"

#ifndef FIXED
constexpr auto who = tma::producer_warp<0>;
#else
constexpr auto who = tma::producer_warps<1>;
#endif

__global__ void kernel(const __grid_constant__ From<tma::ThreadLoads> in) {
  tma::specialize(
      tma::shared<Pipe<tma::ThreadLoads>::Shared>(), who,
      [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); }, tma::consumer_warps<4>,
      [&](auto& consumer) { consumer.next([&](const Tile&) {}); });
}
