// expect: tma::TmaDescriptor: tensor and tile have the same element type
#include "common.hpp"

#ifndef FIXED
auto make(int* a) { return tma::make_descriptor<Tile>(tma::TensorView{a, {64, 64}}); }
#else
auto make(float* a) { return tma::make_descriptor<Tile>(tma::TensorView{a, {64, 64}}); }
#endif
