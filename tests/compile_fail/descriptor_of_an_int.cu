// expect: tma::TmaDescriptor: the third argument is a tma::Tile
#include "common.hpp"

#ifndef FIXED
int bytes() { return sizeof(tma::TmaDescriptor<float, 2, int>); }
#else
int bytes() { return sizeof(tma::TmaDescriptor<float, 2>); }
#endif
