// expect: tma::Tile: the second argument is a tma::Shape
#include <tma/tma.hpp>

#ifndef FIXED
using Tile = tma::Tile<float, float>;
#else
using Tile = tma::Tile<float, tma::Shape<32>>;
#endif
int bytes() { return Tile::payload_bytes; }
