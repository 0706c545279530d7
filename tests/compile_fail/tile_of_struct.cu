// expect: tma: the copy engine has no element type for this C++ type. It moves integers of 1, 2, 4, 8 bytes
// expect: T=Pixel
#include <tma/tma.hpp>

struct Pixel {
  unsigned char r, g, b;
};

#ifndef FIXED
using Tile = tma::Tile<Pixel, tma::Shape<8, 16>>;
#else
using Tile = tma::Tile<unsigned char, tma::Shape<8, 48>>;
#endif
int bytes() { return Tile::payload_bytes; }
