// expect: tma::specialize: to move registers between the roles #include <tma/device/register_budget.hpp>
// errors: 4
#include "common.hpp"
#ifdef FIXED
#  include <tma/device/register_budget.hpp>
#endif
using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, tma::producer_warp<0, 40>, [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); },
      tma::consumer_warps<8, 232>, [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}
