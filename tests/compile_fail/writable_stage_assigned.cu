// expect: a_stage_is_stored_once__move_it_or_pass_it_by_reference
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map to) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<2, Tile>>(), block);
  auto           stage = out.acquire();
  stage.store(to, {0, 0});
#ifndef FIXED
  stage = out.acquire();
  stage.store(to, {32, 0});
#else
  auto next = out.acquire();
  next.store(to, {32, 0});
#endif
}
