// expect: tma: no tile of this stage has the type of this copy. Name the descriptor's tile
#include <tma/pipeline/store_ring.hpp>

#include "common.hpp"

using Half = tma::Tile<float, tma::Shape<16, 32>>;
using Line = tma::Buffer<float, 32>;
#ifndef FIXED
using Out = tma::StoreStages<2, Half, Line>;
#else
using Out = tma::StoreStages<2, Tile, Line>;
#endif

__global__ void kernel(const __grid_constant__ Map to) {
  auto           block = tma::this_block();
  tma::StoreRing out(tma::shared<Out>(), block);
  out.next([](auto&, Line&) {}, [&](auto store) { store(to, {0, 0}); });
}
