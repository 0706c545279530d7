// expect: tma::TmaDescriptor: tensor and tile have the same rank. Give the tile an extent of 1 where it is one element thick
#include "common.hpp"

#ifndef FIXED
using Box = tma::Tile<float, tma::Shape<32, 32>>;
#else
using Box = tma::Tile<float, tma::Shape<1, 32, 32>>;
#endif

auto make(float* a) { return tma::make_descriptor<Box>(tma::TensorView{a, {4, 64, 64}}); }
