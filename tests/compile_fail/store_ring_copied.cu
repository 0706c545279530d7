// expect: a_store_ring_has_its_stage_once__pass_it_by_reference
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map to) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<2, Tile>>(), block);
#ifndef FIXED
  auto copy = out;
#else
  auto& copy = out;
#endif
  copy.next([](Tile&) {}, [&](auto store) { store(to, {0, 0}); });
}
