// expect: tma: this count or index must be a 32-bit number; a 64-bit one (size_t, long) would be cut
#include <tma/tma.hpp>

tma::SharedSpan<float> span(float* data, unsigned long size) {
#ifndef FIXED
  return {data, size};
#else
  return {data, int(size)};
#endif
}
