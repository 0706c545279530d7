// expect: tma: the copy engine has no element type for this C++ type
// expect: T=long double
#include "common.hpp"

#ifndef FIXED
int bytes() { return sizeof(tma::TmaDescriptor<long double, 2>); }
#else
int bytes() { return sizeof(tma::TmaDescriptor<double, 2>); }
#endif
