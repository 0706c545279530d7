// expect: tma::TensorView: a tensor map has rank 1 to 5
#include <tma/tma.hpp>

#ifndef FIXED
auto view(float* a) { return tma::TensorView{a, {2, 2, 2, 2, 64, 64}}; }
#else
auto view(float* a) { return tma::TensorView{a, {2, 2, 4, 64, 64}}; }
#endif
