// expect: tma: threads write the tiles of this ring: they are not const
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

#ifndef FIXED
using Out = tma::StoreStages<2, const Tile>;
#else
using Out = tma::StoreStages<2, Tile>;
#endif

__global__ void kernel(const __grid_constant__ Map to) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<Out>(), block);
  out.next([](auto&) {}, [&](auto store) { store(to, {0, 0}); });
}
