// expect: tma::TensorView: one stride for each extent, slowest first
#include <tma/tma.hpp>

auto view(float* a) {
#ifndef FIXED
  return tma::TensorView{a, {4, 64, 64}, tma::byte_strides(512, 4)};
#else
  return tma::TensorView{a, {4, 64, 64}, tma::byte_strides(64 * 512, 512, 4)};
#endif
}
