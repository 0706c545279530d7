// expect: tma: a stage has at least one tile
#include "common.hpp"
#include <tma/pipeline/store_ring.hpp>

#ifndef FIXED
using Stages = tma::StoreStages<2>;
#else
using Stages = tma::StoreStages<2, Tile>;
#endif

__global__ void kernel() {
  const auto     block = tma::this_block();
  tma::StoreRing stores(tma::shared<Stages>(), block);
}
