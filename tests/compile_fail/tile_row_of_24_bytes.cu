// expect: tma::Tile: a row (the last extent x the element size) is a multiple of 16 bytes. Widen the row
#include <tma/tma.hpp>

#ifndef FIXED
using Tile = tma::Tile<float, tma::Shape<8, 6>>;
#else
using Tile = tma::Tile<float, tma::Shape<8, 8>>;
#endif
int bytes() { return Tile::payload_bytes; }
