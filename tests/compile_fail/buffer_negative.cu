// expect: tma: a buffer holds at least one element
#include <tma/tma.hpp>

#ifndef FIXED
int bytes() { return tma::Buffer<float, -4>::payload_bytes; }
#else
int bytes() { return tma::Buffer<float, 4>::payload_bytes; }
#endif
