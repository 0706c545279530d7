// expect: tma::Im2col: the tile has rank 2, pixels by channels, and at most 1024 pixels
#include <tma/core/descriptor.hpp>
#include <tma/core/im2col.hpp>

#ifndef FIXED
using Column = tma::Tile<float, tma::Shape<4, 16, 16>>;
#else
using Column = tma::Tile<float, tma::Shape<1024, 16>>;
#endif
int bytes() { return int(sizeof(tma::TmaDescriptor<const float, 4, tma::Im2col<Column>>)); }
