// expect: tma::TensorView: the copy engine has no type for this element; view it as an integer of its width
#include <tma/tma.hpp>

#ifndef FIXED
auto view(void* a) { return tma::TensorView{a, {64, 64}}; }
#else
auto view(void* a) { return tma::TensorView{static_cast<float*>(a), {64, 64}}; }
#endif
