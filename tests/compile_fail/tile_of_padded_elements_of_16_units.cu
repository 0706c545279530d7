// expect: tma::Tile: a row of padded packed elements is exactly 8 units, 128 elements
#include <tma/tma.hpp>

#ifndef FIXED
using Tile = tma::Tile<tma::u6x16_padded, tma::Shape<16, 16>>;
#else
using Tile = tma::Tile<tma::u6x16_padded, tma::Shape<16, 8>>;
#endif
int bytes() { return Tile::payload_bytes; }
