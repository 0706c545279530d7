// expect: tma::Coord: one index for each dimension of the tensor, slowest first
#include <tma/tma.hpp>

#ifndef FIXED
tma::Coord<2> at() { return {1, 2, 3}; }
#else
tma::Coord<2> at() { return {2, 3}; }
#endif
