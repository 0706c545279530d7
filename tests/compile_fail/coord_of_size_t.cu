// expect: tma::Coord: an index is a signed 32-bit number; a 64-bit one (size_t, long) would be cut
// expect: convert it with int(...) where it is known to fit
#include <tma/tma.hpp>

tma::Coord<2> at(std::size_t row) {
#ifndef FIXED
  return tma::Coord<2>{row, 0};
#else
  return tma::Coord<2>{int(row), 0};
#endif
}
