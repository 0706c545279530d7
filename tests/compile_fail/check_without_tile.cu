// expect: tma::make_descriptor: name the tile: make_descriptor<Tile>(view)
#include "common.hpp"

bool possible(float* a) {
#ifndef FIXED
  return tma::check(tma::TensorView{a, {64, 64}}).ok();
#else
  return tma::check<Tile>(tma::TensorView{a, {64, 64}}).ok();
#endif
}
