// expect: tma: this count or index must be a 32-bit number; a 64-bit one (size_t, long) would be cut
#include <tma/device/gather.hpp>
#include <tma/tma.hpp>

tma::Rows4Coord at(const unsigned long* rows) {
#ifndef FIXED
  return tma::rows(rows[0], rows[1], rows[2], rows[3], 0);
#else
  return tma::rows(int(rows[0]), int(rows[1]), int(rows[2]), int(rows[3]), 0);
#endif
}
