// expect: an_extent_stride_or_block_count_is_an_integer__convert_it
#include <tma/tma.hpp>

#ifndef FIXED
auto view(float* a, bool wide) { return tma::TensorView{a, {64, wide}}; }
#else
auto view(float* a, bool wide) { return tma::TensorView{a, {64, wide ? 64 : 32}}; }
#endif
