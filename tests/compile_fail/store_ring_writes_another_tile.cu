// expect: tma::StoreRing: the first function writes the stage and takes its tiles, each by reference: [&](Tile& tile)
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map to) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<2, Tile>>(), block);
#ifndef FIXED
  out.next([](Tile) {}, [&](auto store) { store(to, {0, 0}); });
#else
  out.next([](Tile&) {}, [&](auto store) { store(to, {0, 0}); });
#endif
}
