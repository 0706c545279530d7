// expect: a_stage_is_freed_once__take_it_by_reference
#include "common.hpp"

#include <utility>

using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  auto consume = [](const Tile&, int, auto& stage) {
#ifndef FIXED
    auto kept = std::move(stage);
#else
    auto& kept = stage;
#endif
    kept.release();
  };
  pipe.for_each(2, [&](auto load, int i) { load(in, {i, 0}); }, consume);
}
