// expect: tma::Shape: every extent is at least 1
#include <tma/tma.hpp>

#ifndef FIXED
using Tile = tma::Tile<float, tma::Shape<0, 32>>;
#else
using Tile = tma::Tile<float, tma::Shape<1, 32>>;
#endif
int bytes() { return Tile::payload_bytes; }
