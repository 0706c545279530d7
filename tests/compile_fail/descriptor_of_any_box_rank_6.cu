// expect: tma::TmaDescriptor: a tensor map has rank 1 to 5
#include "common.hpp"

#ifndef FIXED
int bytes() { return sizeof(tma::TmaDescriptor<float, 6>); }
#else
int bytes() { return sizeof(tma::TmaDescriptor<float, 5>); }
#endif
