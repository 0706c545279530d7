// It fails, but not for the reason it names.
// expect: tma::Tile: a tensor map has rank 1 to 5
#include "../common.hpp"

#ifndef FIXED
int bytes() { return tma::Tile<float, tma::Shape<8, 6>>::payload_bytes; }
#else
int bytes() { return tma::Tile<float, tma::Shape<8, 8>>::payload_bytes; }
#endif
