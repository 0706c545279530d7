// It names no text at all.
#include "../common.hpp"

#ifndef FIXED
int bytes() { return tma::Tile<float, tma::Shape<8, 6>>::payload_bytes; }
#else
int bytes() { return tma::Tile<float, tma::Shape<8, 8>>::payload_bytes; }
#endif
