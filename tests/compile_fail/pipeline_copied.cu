// expect: a_pipeline_has_its_phases_once__pass_it_by_reference
#include "common.hpp"

using Pipe = tma::Pipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map in) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  auto copy = pipe;
#else
  auto& copy = pipe;
#endif
  copy.for_each(2, [&](auto load, int i) { load(in, {i, 0}); }, [](const Tile&, int) {});
}
