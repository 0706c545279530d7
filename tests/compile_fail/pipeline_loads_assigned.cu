// expect: the_loads_of_one_step_are_not_those_of_another
// expect: cannot be referenced -- it is a deleted function
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
  auto issue = [&](auto load, int i) {
    auto other = load;
#ifndef FIXED
    other = load;
#endif
    other(in, {i, 0});
  };
  pipe.for_each(2, issue, [](const Tile&, int) {});
}
