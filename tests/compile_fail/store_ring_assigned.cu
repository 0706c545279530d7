// expect: a_store_ring_has_its_stage_once__pass_it_by_reference
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map to) {
  struct Shared {
    tma::StoreStages<2, Tile> a, b;
  };
  auto&          s     = tma::shared<Shared>();
  auto           block = tma::this_block();
  tma::StoreRing a(s.a, block);
  tma::StoreRing b(s.b, block);
#ifndef FIXED
  a = b;
#endif
  a.next([](Tile&) {}, [&](auto store) { store(to, {0, 0}); });
}
