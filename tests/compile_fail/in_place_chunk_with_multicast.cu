// expect: tma::InPlacePipeline: a load fills a stage of its own block alone. A multicast would overwrite the stage of another block
#include "cluster.hpp"
#include <tma/pipeline/in_place_roles.hpp>

using Line = tma::Buffer<float, 64>;
using Pipe = tma::InPlacePipeline<2, Line>;

__global__ void kernel(tma::AlignedPointer<float> data) {
  auto cluster = tma::this_cluster<2>();
  tma::transform(
      tma::shared<Pipe::Shared>(), tma::producer_warp<0>,
      [&](auto& mover) {
#ifndef FIXED
        auto issue = [&](auto load, int i) { load(data.chunk<64>(i * 64), cluster.everyone()); };
#else
        auto issue = [&](auto load, int i) { load(data.chunk<64>(i * 64)); };
#endif
        mover.for_each(2, issue, [&](auto store, int i) { store(data.chunk<64>(i * 64)); });
      },
      tma::consumer_warps<1>,
      [&](auto& worker) {
        worker.next([](Line&) {});
        worker.next([](Line&) {});
      });
}
