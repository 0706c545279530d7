// expect: tma::Turns: the groups are those of tma::consumer_groups<G, W> or tma::taking_turns<G, W>: as many, and of as many warps
#include "common.hpp"
#include <tma/pipeline/turns.hpp>

using Pipe = tma::Pipeline<2, Tile>;
#ifndef FIXED
using Order = tma::Turns<3, 1>;
#else
using Order = tma::Turns<2, 1>;
#endif

struct Rings {
  Pipe::Shared  ring;
  Order::Shared order;
};

__global__ void kernel(const __grid_constant__ Map in) {
  auto& s = tma::shared<Rings>();
  Order turns(s.order);
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
