// expect: tma::Coord: an index is a signed 32-bit number; a 64-bit one (size_t, long) would be cut
#include <tma/tma.hpp>

tma::Coord<2> at(long row) {
#ifndef FIXED
  return {row, 0};
#else
  return {int(row), 0};
#endif
}
