// expect: tma::TmaDescriptor: tensor and tile have the same element type
#include "common.hpp"

#ifndef FIXED
int bytes() { return sizeof(tma::TmaDescriptor<int, 2, Tile>); }
#else
int bytes() { return sizeof(tma::TmaDescriptor<float, 2, Tile>); }
#endif
