// expect: tma::make_descriptor: the box has one extent for each dimension of the tensor, slowest first
#include "common.hpp"

auto make(float* a) {
#ifndef FIXED
  return tma::make_descriptor(tma::TensorView{a, {64, 64}}, {1, 32, 32});
#else
  return tma::make_descriptor(tma::TensorView{a, {64, 64}}, {32, 32});
#endif
}
