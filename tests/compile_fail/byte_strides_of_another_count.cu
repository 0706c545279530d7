// expect: no instance of constructor "tma::ByteStrides<Rank>::ByteStrides [with Rank=2]" matches the argument list
#include <tma/tma.hpp>

#ifndef FIXED
tma::ByteStrides<2> strides() { return tma::ByteStrides<2>(512); }
#else
tma::ByteStrides<2> strides() { return tma::ByteStrides<2>(512, 4); }
#endif
