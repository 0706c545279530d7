// expect: tma::TmaDescriptor: the third argument is a tma::Tile: tma::TmaDescriptor<float, 2, Tile>
#include "common.hpp"

auto make(float* a) {
#ifndef FIXED
  return tma::make_descriptor<float>(tma::TensorView{a, {64, 64}});
#else
  return tma::make_descriptor<Tile>(tma::TensorView{a, {64, 64}});
#endif
}
