// expect: tma::StoreRing: the second argument is the group that writes: a tma::Block, a pipeline's consumer
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

__global__ void kernel() {
  auto block = tma::this_block();
#ifndef FIXED
  tma::StoreRing out(tma::shared<tma::StoreStages<2, Tile>>(), 256);
#else
  tma::StoreRing out(tma::shared<tma::StoreStages<2, Tile>>(), block);
#endif
}
