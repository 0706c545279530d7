// expect: tma::Result
#include "common.hpp"

Map make(float* a) {
#ifndef FIXED
  return tma::try_make_descriptor<Tile>(tma::TensorView{a, {64, 64}});
#else
  return tma::try_make_descriptor<Tile>(tma::TensorView{a, {64, 64}}).value();
#endif
}
