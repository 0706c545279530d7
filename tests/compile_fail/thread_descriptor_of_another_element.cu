// expect: tma::TmaDescriptor: tensor and tile have the same element type
#include "thread_loads.hpp"

auto make(const int* a, const float* b) {
#ifndef FIXED
  static_cast<void>(b);
  return tma::make_thread_descriptor<Tile>(tma::TensorView{a, {64, 64}});
#else
  static_cast<void>(a);
  return tma::make_thread_descriptor<Tile>(tma::TensorView{b, {64, 64}});
#endif
}
