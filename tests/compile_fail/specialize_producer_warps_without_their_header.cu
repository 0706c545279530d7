// expect: tma::specialize: for tma::producer_warps #include <tma/pipeline/producer_group.hpp>
#include "common.hpp"
#ifdef FIXED
#  include <tma/pipeline/producer_group.hpp>
#endif
using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, tma::producer_warps<2>, [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); },
      tma::consumer_warps<2>, [&](auto& consumer) { consumer.next([](const Tile&) {}); });
}
