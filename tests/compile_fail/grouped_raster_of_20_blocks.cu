// expect: tma::GroupedRaster: a cluster has 1 to 16 blocks
#include "common.hpp"
#include <tma/core/grouped_raster.hpp>

#ifndef FIXED
using Raster = tma::GroupedRaster<8, tma::RasterGroup::rows, 4, 5>;
#else
using Raster = tma::GroupedRaster<8, tma::RasterGroup::rows, 4, 4>;
#endif
int size() { return Raster(3, 4).size(); }
