// expect: tma: the stage has no tile at this slot
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map to) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<2, Tile, Tile>>(), block);
#ifndef FIXED
  out.next([](Tile&, Tile&) {}, [&](auto store) { store(to, {0, 0}, tma::slot<2>); });
#else
  out.next([](Tile&, Tile&) {}, [&](auto store) { store(to, {0, 0}, tma::slot<1>); });
#endif
}
