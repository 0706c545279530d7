// expect: tma: reductions are in a header of their own: #include <tma/device/reduce.hpp>
#ifdef FIXED
#  include <tma/device/reduce.hpp>
#endif
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

__global__ void kernel(const __grid_constant__ Map to) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<tma::StoreStages<2, Tile>>(), block);
  out.next([](Tile&) {}, [&](auto store) { store.template reduce<tma::Reduction::add>(to, {0, 0}); });
}
