// expect: tma::TmaDescriptor: the third argument is a tma::Tile
#include "common.hpp"

#ifndef FIXED
int bytes() { return sizeof(tma::TmaDescriptor<float, 2, tma::Shape<32, 32>>); }
#else
int bytes() { return sizeof(tma::TmaDescriptor<float, 2, tma::Tile<float, tma::Shape<32, 32>>>); }
#endif
