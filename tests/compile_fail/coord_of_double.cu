// expect: tma::Coord: an index is an integer
#include <tma/tma.hpp>

#ifndef FIXED
tma::Coord<2> at() { return {0.5, 0}; }
#else
tma::Coord<2> at() { return {0, 0}; }
#endif
