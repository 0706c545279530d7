// expect: tma: this count or index must be a 32-bit number; a 64-bit one (size_t, long) would be cut
#include "common.hpp"
#include <tma/core/grouped_raster.hpp>

int row_of(unsigned long index) {
  tma::GroupedRaster<8> raster(64, 64);
#ifndef FIXED
  return raster(index).row;
#else
  return raster(int(index)).row;
#endif
}
