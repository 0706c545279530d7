// expect: tma::make_descriptor_for: the first argument says who loads, tma::EngineLoads or tma::ThreadLoads; the second is the tile
#include "thread_loads.hpp"

void make(const float* a) {
#ifndef FIXED
  tma::make_descriptor_for<Tile, Tile>(tma::TensorView{a, {64, 64}});
#else
  tma::make_descriptor_for<tma::ThreadLoads, Tile>(tma::TensorView{a, {64, 64}});
#endif
}
