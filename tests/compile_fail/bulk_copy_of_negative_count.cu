// expect: tma::BulkCopy1D: the count is at least 1; without one it is given at run time
#include <tma/tma.hpp>

#ifndef FIXED
int bytes() { return sizeof(tma::BulkCopy1D<-4>); }
#else
int bytes() { return sizeof(tma::BulkCopy1D<4>); }
#endif
