// expect: tma::Tile: a box is at most 256 elements in each dimension
// expect: view the row as two dimensions
#include <tma/tma.hpp>

#ifndef FIXED
using Tile = tma::Tile<float, tma::Shape<512>>;
#else
using Tile = tma::Tile<float, tma::Shape<2, 256>>;
#endif
int bytes() { return Tile::payload_bytes; }
