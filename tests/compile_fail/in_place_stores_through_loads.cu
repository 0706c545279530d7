// expect: has no member "store"
#include <tma/pipeline/in_place_roles.hpp>

#include "common.hpp"

using Pipe = tma::InPlacePipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map map) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  auto load = [&](auto load, int i) { load.store(map, {i, 0}); };
#else
  auto load = [&](auto load, int i) { load.load(map, {i, 0}); };
#endif
  pipe.for_each(2, load, [](Tile&, int) {}, [&](auto store, int i) { store(map, {i, 0}); });
}
