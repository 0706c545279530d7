// expect: tma::Tile: the tile does not fit the 227 KiB of shared memory that a block can have
#include <tma/tma.hpp>

// 64 KiB of elements, but each row of 16 bytes occupies 128.
#ifndef FIXED
using Tile = tma::Tile<float, tma::Shape<16, 256, 4>, tma::Swizzle::bytes_128>;
#else
using Tile = tma::Tile<float, tma::Shape<16, 256, 4>>;
#endif
int bytes() { return Tile::payload_bytes; }
