// expect: tma: this descriptor is of const elements: it can only be loaded from
#include <tma/pipeline/in_place_roles.hpp>

#include "common.hpp"

using Pipe = tma::InPlacePipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ ConstMap from, const __grid_constant__ Map to) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  auto store = [&](auto store, int i) { store(from, {i, 0}); };
#else
  auto store = [&](auto store, int i) { store(to, {i, 0}); };
#endif
  pipe.for_each(2, [&](auto load, int i) { load(from, {i, 0}); }, [](Tile&, int) {}, store);
}
