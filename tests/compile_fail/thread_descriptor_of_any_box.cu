// expect: tma::ThreadDescriptor: the third argument is a tma::Tile
#include "thread_loads.hpp"

#ifndef FIXED
int bytes() { return sizeof(tma::ThreadDescriptor<const float, 2, void>); }
#else
int bytes() { return sizeof(tma::ThreadDescriptor<const float, 2, Tile>); }
#endif
