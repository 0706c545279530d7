// expect: tma::Coord: a tensor has rank 1 to 5
#include <tma/tma.hpp>

#ifndef FIXED
tma::Coord<0> at() { return {}; }
#else
tma::Coord<1> at() { return {}; }
#endif
