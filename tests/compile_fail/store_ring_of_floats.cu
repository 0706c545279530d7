// expect: tma: a stage holds tma::Tile and tma::Buffer objects, which the copy engine reads
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

#ifndef FIXED
using Out = tma::StoreStages<2, float[1024]>;
#else
using Out = tma::StoreStages<2, tma::Buffer<float, 1024>>;
#endif

__global__ void kernel() {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<Out>(), block);
}
