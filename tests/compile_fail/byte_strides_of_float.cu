// expect: an_extent_stride_or_block_count_is_an_integer__convert_it
#include <tma/tma.hpp>

#ifndef FIXED
auto strides(double pitch) { return tma::byte_strides(pitch, 4); }
#else
auto strides(double pitch) { return tma::byte_strides(int(pitch), 4); }
#endif
