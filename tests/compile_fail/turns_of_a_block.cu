// expect: tma::Turns: the groups are those of tma::consumer_groups<G, W> or tma::taking_turns<G, W>
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
  tma::specialize(
      s.ring, tma::producer_warp<0>,
      [&](auto& producer) {
        producer.next([&](auto& stage) { stage.load(in, {0, 0}); });
        producer.next([&](auto& stage) { stage.load(in, {0, 0}); });
      },
      tma::taking_turns<2, 1>,
      [&](auto& consumer) {
#ifndef FIXED
        auto group = tma::this_block();
#else
        auto& group = consumer;
#endif
        consumer.skip(consumer.group());
        turns.take(group, [&] { consumer.next([](const Tile&) {}); });
      });
}
