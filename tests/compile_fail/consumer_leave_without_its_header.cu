// expect: tma: this form of a barrier's instruction needs #include <tma/device/barrier_forms.hpp>
#include "common.hpp"
#ifdef FIXED
#  include <tma/device/barrier_forms.hpp>
#endif
using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  auto& ring = tma::shared<Pipe::Shared>();
  tma::specialize(
      ring, tma::producer_warp<0>, [&](auto& producer) { producer.next([&](auto& stage) { stage.load(in, {0, 0}); }); },
      tma::consumer_groups<2, 1>,
      [&](auto& consumer) {
        if (consumer.group() == 0) consumer.next([](const Tile&) {});
        else consumer.leave();
      });
}
