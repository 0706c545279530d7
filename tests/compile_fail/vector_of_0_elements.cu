// expect: tma::Vec: a thread moves at most 16 bytes at once, and a power of two
#include "common.hpp"

#ifndef FIXED
int bytes() { return sizeof(tma::Vec<float, 0>); }
#else
int bytes() { return sizeof(tma::Vec<float, 1>); }
#endif
