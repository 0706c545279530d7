// expect: tma: the copy engine has no element type for this C++ type. It moves integers of 1, 2, 4, 8 bytes
// expect: T=long double
#include <tma/tma.hpp>

#ifndef FIXED
using Tile = tma::Tile<long double, tma::Shape<8, 8>>;
#else
using Tile = tma::Tile<double, tma::Shape<8, 8>>;
#endif
int bytes() { return Tile::payload_bytes; }
