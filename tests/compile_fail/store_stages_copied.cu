// expect: stages_are_a_place_in_shared_memory__take_them_by_reference
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

using Out = tma::StoreStages<2, Tile>;

__global__ void kernel(const __grid_constant__ Map to) {
  auto block = tma::this_block();
#ifndef FIXED
  auto stages = tma::shared<Out>();
#else
  auto& stages = tma::shared<Out>();
#endif
  tma::StoreRing out(stages, block);
  out.next([](Tile&) {}, [&](auto store) { store(to, {0, 0}); });
}
