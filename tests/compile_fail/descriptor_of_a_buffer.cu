// expect: tma::TmaDescriptor: the third argument is a tma::Tile
#include "common.hpp"

#ifndef FIXED
int bytes() { return sizeof(tma::TmaDescriptor<float, 1, tma::Buffer<float, 64>>); }
#else
int bytes() { return sizeof(tma::TmaDescriptor<float, 1, tma::Tile<float, tma::Shape<64>>>); }
#endif
