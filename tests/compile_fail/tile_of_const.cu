// expect: tma::Tile: the element type is not const or volatile
#include <tma/tma.hpp>

#ifndef FIXED
using Tile = tma::Tile<const float, tma::Shape<8, 8>>;
#else
using Tile = tma::Tile<float, tma::Shape<8, 8>>;
#endif
int bytes() { return Tile::payload_bytes; }
