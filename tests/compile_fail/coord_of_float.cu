// expect: tma::Coord: an index is an integer
#include <tma/tma.hpp>

#ifndef FIXED
tma::Coord<2> at() { return {1.5f, 0}; }
#else
tma::Coord<2> at() { return {1, 0}; }
#endif
