// expect: tma::TensorView: one stride for each extent, slowest first
#include <tma/tma.hpp>

auto view(float* a) {
#ifndef FIXED
  return tma::TensorView{a, {4, 64, 64}, {128, 1}};
#else
  return tma::TensorView{a, {4, 64, 64}, {64 * 128, 128, 1}};
#endif
}
