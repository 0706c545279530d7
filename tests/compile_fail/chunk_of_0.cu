// expect: tma::AlignedChunk: a bulk copy moves a multiple of 16 bytes
#include <tma/tma.hpp>

#ifndef FIXED
__device__ auto first(tma::AlignedPointer<const float> p) { return p.chunk<0>(0); }
#else
__device__ auto first(tma::AlignedPointer<const float> p) { return p.chunk<4>(0); }
#endif
