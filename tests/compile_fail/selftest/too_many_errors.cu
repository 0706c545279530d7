// One error more than it allows.
// expect: tma::Tile: a row
// errors: 1
#include "../common.hpp"

#ifndef FIXED
int first() { return tma::Tile<float, tma::Shape<8, 6>>::payload_bytes; }
int bytes() { return tma::Tile<float, tma::Shape<8, 7>>::payload_bytes; }
#else
int bytes() { return tma::Tile<float, tma::Shape<8, 8>>::payload_bytes; }
#endif
