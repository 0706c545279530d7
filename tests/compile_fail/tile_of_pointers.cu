// expect: tma: the copy engine has no element type for this C++ type. It moves integers of 1, 2, 4, 8 bytes
// expect: let anything else travel as an integer of its width
// expect: T=float *
#include <tma/tma.hpp>

#ifndef FIXED
using Tile = tma::Tile<float*, tma::Shape<8, 8>>;
#else
using Tile = tma::Tile<unsigned long long, tma::Shape<8, 8>>;
#endif
int bytes() { return Tile::payload_bytes; }
