// expect: tma::Tile: a box is at most 256 elements in each dimension. Split the tile
#include <tma/tma.hpp>

#ifndef FIXED
using Tile = tma::Tile<float, tma::Shape<1025, 4>>;
#else
using Tile = tma::Tile<float, tma::Shape<1024, 4>>;
#endif
int bytes() { return Tile::payload_bytes; }
