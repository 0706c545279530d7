// expect: tma::Tile: a box is at most 256 elements in each dimension
#include <tma/tma.hpp>

// Sixteen elements a unit.
#ifndef FIXED
using Tile = tma::Tile<tma::u4x16, tma::Shape<16, 18>>;
#else
using Tile = tma::Tile<tma::u4x16, tma::Shape<16, 16>>;
#endif
int bytes() { return Tile::payload_bytes; }
