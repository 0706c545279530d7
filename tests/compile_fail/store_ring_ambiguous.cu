// expect: tma: several tiles of this stage have this type; say which, behind the place: tma::slot<0>
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map to) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<2, Tile, Tile>>(), block);
#ifndef FIXED
  out.next([](Tile&, Tile&) {}, [&](auto store) { store(to, {0, 0}); });
#else
  out.next([](Tile&, Tile&) {}, [&](auto store) { store(to, {0, 0}, tma::slot<1>); });
#endif
}
