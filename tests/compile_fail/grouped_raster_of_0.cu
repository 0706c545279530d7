// expect: tma::GroupedRaster: a band has 1 to 65535 rows or columns
#include "common.hpp"
#include <tma/core/grouped_raster.hpp>

#ifndef FIXED
using Raster = tma::GroupedRaster<0>;
#else
using Raster = tma::GroupedRaster<1>;
#endif
int size() { return Raster(3, 4).size(); }
