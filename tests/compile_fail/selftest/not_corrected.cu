// The correction has a mistake of its own.
// expect: tma::Tile: a row
#include "../common.hpp"

#ifndef FIXED
int bytes() { return tma::Tile<float, tma::Shape<8, 6>>::payload_bytes; }
#else
int bytes() { return tma::Tile<float, tma::Shape<8, 8>>::payload; }
#endif
