// expect: a_store_ring_refers_to_its_group__which_is_a_variable_and_not_a_temporary
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

__global__ void kernel() {
#ifndef FIXED
  tma::StoreRing out(tma::shared<tma::StoreStages<2, Tile>>(), tma::this_block());
#else
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<2, Tile>>(), block);
#endif
}
