// expect: tma: this count or index must be a 32-bit number; a 64-bit one (size_t, long) would be cut
#include "common.hpp"
#include <tma/core/grouped_raster.hpp>

int size(long rows, int columns) {
#ifndef FIXED
  return tma::GroupedRaster<8>(rows, columns).size();
#else
  return tma::GroupedRaster<8>(int(rows), columns).size();
#endif
}
