// expect: an_extent_stride_or_block_count_is_an_integer__convert_it
#include <tma/tma.hpp>

#ifndef FIXED
auto view(float* a, float rows) { return tma::TensorView{a, {rows, 64}}; }
#else
auto view(float* a, float rows) { return tma::TensorView{a, {int(rows), 64}}; }
#endif
