// expect: tma::Pipeline: a load fills a stage of its own block alone. A multicast would overwrite the stage of another block
#include "cluster.hpp"

using Pipe = tma::Pipeline<2, tma::Buffer<float, 64>>;

__global__ void kernel(tma::AlignedPointer<const float> in) {
  auto cluster = tma::this_cluster<2>();
  tma::specialize(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& producer) {
        auto stage = producer.acquire();
#ifndef FIXED
        stage.load(in.chunk<64>(0), cluster.everyone());
#else
        stage.load(in.chunk<64>(0));
#endif
      },
      tma::consumer_warps<1>, [&](auto& consumer) { consumer.next([](const tma::Buffer<float, 64>&) {}); });
}
