// expect: tma: these are the stores of a stage, which threads have written
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map to) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<2, Tile>>(), block);
#ifndef FIXED
  out.next([](Tile&) {}, [&](auto store) { store.load(to, {0, 0}); });
#else
  out.next([](Tile&) {}, [&](auto store) { store.store(to, {0, 0}); });
#endif
}
