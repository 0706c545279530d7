// expect: tma::TensorView: the copy engine has no type for this element; view it as an integer of its width
#include <tma/tma.hpp>

#ifndef FIXED
auto view(long double* a) { return tma::TensorView{a, {64, 64}}; }
#else
auto view(double* a) { return tma::TensorView{a, {64, 64}}; }
#endif
