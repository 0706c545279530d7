// The text it names comes second.
// expect: tma::Tile: a tensor map has rank 1 to 5
#include "../common.hpp"

#ifndef FIXED
int first() { return tma::Tile<float, tma::Shape<8, 6>>::payload_bytes; }
int bytes() { return tma::Tile<float, tma::Shape<1, 1, 1, 1, 8, 8>>::payload_bytes; }
#else
int bytes() { return tma::Tile<float, tma::Shape<8, 8>>::payload_bytes; }
#endif
