// expect: tma::Pipeline: no part of this pipeline is written by threads: tma::ByThreads<X>
#include "common.hpp"
#include <tma/device/barrier_forms.hpp>

#ifndef FIXED
using Pipe = tma::Pipeline<2, Tile, tma::Buffer<int, 32>>;
#else
using Pipe = tma::Pipeline<2, Tile, tma::ByThreads<tma::Buffer<int, 32>>>;
#endif

__global__ void kernel(const __grid_constant__ Map in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  auto issue = [&](auto load, int i) {
    load(in, {i, 0});
    load.wait_also_for_cp_async();
  };
  pipe.for_each(2, issue, [](const Tile&, const auto&, int) {});
}
