// expect: tma::make_descriptor: name the tile: make_descriptor<Tile>(view)
#include "common.hpp"

auto make(float* a) {
#ifndef FIXED
  return tma::make_descriptor(tma::TensorView{a, {64, 64}});
#else
  return tma::make_descriptor<Tile>(tma::TensorView{a, {64, 64}});
#endif
}
