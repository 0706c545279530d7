// expect: tma::InPlacePipeline: the function that changes the stage takes its tiles, each by reference, and the step in for_each
#include <tma/pipeline/in_place_roles.hpp>

#include "common.hpp"

using Pipe = tma::InPlacePipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map map) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  auto change = [](Tile&) {};
#else
  auto change = [](Tile&, int) {};
#endif
  pipe.for_each(2, [&](auto load, int i) { load(map, {i, 0}); }, change, [&](auto store, int i) { store(map, {i, 0}); });
}
