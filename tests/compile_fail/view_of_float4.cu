// expect: tma::TensorView: the copy engine has no type for this element; view it as an integer of its width
#include <tma/tma.hpp>

#ifndef FIXED
auto view(float4* a) { return tma::TensorView{a, {64, 16}}; }
#else
auto view(float4* a) { return tma::TensorView{reinterpret_cast<float*>(a), {64, 64}}; }
#endif
