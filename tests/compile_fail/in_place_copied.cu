// expect: a_pipeline_has_its_phases_once__pass_it_by_reference
#include <tma/pipeline/in_place_roles.hpp>

#include "common.hpp"

using Pipe = tma::InPlacePipeline<2, Tile>;

__global__ void kernel(const __grid_constant__ Map map) {
  Pipe pipe(tma::shared<Pipe::Shared>());
#ifndef FIXED
  auto copy = pipe;
#else
  auto& copy = pipe;
#endif
  copy.for_each(
      2, [&](auto load, int i) { load(map, {i, 0}); }, [](Tile&, int) {}, [&](auto store, int i) { store(map, {i, 0}); });
}
