// expect: a_ring_is_a_place_in_shared_memory__take_it_by_reference
#include <tma/pipeline/in_place_roles.hpp>

#include "common.hpp"

using Pipe = tma::InPlacePipeline<2, Tile>;

__global__ void kernel() {
#ifndef FIXED
  auto ring = tma::shared<Pipe::Shared>();
#else
  auto& ring = tma::shared<Pipe::Shared>();
#endif
  Pipe pipe(ring);
}
