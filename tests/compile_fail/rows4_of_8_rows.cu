// expect: tma::Rows4: the tile is four rows by columns: tma::Rows4<tma::Tile<T, tma::Shape<4, columns>>>
#include <tma/core/descriptor.hpp>
#include <tma/core/gather.hpp>

#ifndef FIXED
using Rows = tma::Tile<float, tma::Shape<8, 32>>;
#else
using Rows = tma::Tile<float, tma::Shape<4, 32>>;
#endif
int bytes() { return int(sizeof(tma::TmaDescriptor<const float, 2, tma::Rows4<Rows>>)); }
