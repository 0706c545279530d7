// expect: tma::Tile: a tensor map has rank 1 to 5
#include <tma/tma.hpp>

#ifndef FIXED
using Tile = tma::Tile<float, tma::Shape<1, 1, 1, 1, 8, 8>>;
#else
using Tile = tma::Tile<float, tma::Shape<1, 1, 1, 8, 8>>;
#endif
int bytes() { return Tile::payload_bytes; }
