// expect: ignoring return value from routine declared with "nodiscard" attribute
// flags: -Werror=all-warnings
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map to) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<2, Tile>>(), block);
#ifndef FIXED
  out.acquire();
#else
  out.acquire().store(to, {0, 0});
#endif
}
