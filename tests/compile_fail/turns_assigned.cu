// expect: an_order_has_its_phases_once__pass_it_by_reference
#include "common.hpp"
#include <tma/pipeline/turns.hpp>

using Pipe  = tma::Pipeline<2, Tile>;
using Order = tma::Turns<2, 1>;

struct Rings {
  Pipe::Shared  ring;
  Order::Shared order;
};

__global__ void kernel(const __grid_constant__ Map in) {
  auto& s = tma::shared<Rings>();
  Order turns(s.order);
#ifndef FIXED
  turns = Order(s.order);
#endif
  tma::specialize(
      s.ring, tma::producer_warp<0>,
      [&](auto& producer) {
        producer.next([&](auto& stage) { stage.load(in, {0, 0}); });
        producer.next([&](auto& stage) { stage.load(in, {0, 0}); });
      },
      tma::taking_turns<2, 1>,
      [&](auto& consumer) {
        consumer.skip(consumer.group());
        turns.take(consumer, [&] { consumer.next([](const Tile&) {}); });
      });
}
