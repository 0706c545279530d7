// expect: tma: this descriptor is of const elements: it can only be loaded from
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

#ifndef FIXED
using To = ConstMap;
#else
using To = Map;
#endif

__global__ void kernel(const __grid_constant__ To to) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<2, Tile>>(), block);
  out.next([](Tile&) {}, [&](auto store) { store(to, {0, 0}); });
}
