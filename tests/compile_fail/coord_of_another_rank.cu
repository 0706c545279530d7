// expect: tma::Coord: this coordinate has another rank than the tensor
#include <tma/tma.hpp>

constexpr tma::Coord<3> cube{1, 2, 3};
#ifndef FIXED
tma::Coord<2> at() { return cube; }
#else
tma::Coord<2> at() { return {cube[1], cube[2]}; }
#endif
