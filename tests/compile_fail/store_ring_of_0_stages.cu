// expect: tma::StoreStages: at least one stage
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

#ifndef FIXED
constexpr int stages = 0;
#else
constexpr int stages = 1;
#endif

__global__ void kernel(const __grid_constant__ Map to) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<stages, Tile>>(), block);
  out.next([](Tile&) {}, [&](auto store) { store(to, {0, 0}); });
}
