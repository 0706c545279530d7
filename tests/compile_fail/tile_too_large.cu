// expect: tma::Tile: the tile does not fit the 227 KiB of shared memory that a block can have
#include <tma/tma.hpp>

#ifndef FIXED
using Tile = tma::Tile<float, tma::Shape<256, 256>>;
#else
using Tile = tma::Tile<float, tma::Shape<128, 256>>;
#endif
int bytes() { return Tile::payload_bytes; }
