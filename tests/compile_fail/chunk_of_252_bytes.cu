// expect: tma::AlignedChunk: a bulk copy moves a multiple of 16 bytes; the hardware would silently drop the rest
// expect: or use a tma::BulkCopy1D of run-time length
#include <tma/tma.hpp>

#ifndef FIXED
__device__ auto first(tma::AlignedPointer<const float> p) { return p.chunk<63>(0); }
#else
__device__ auto first(tma::AlignedPointer<const float> p) { return p.chunk<64>(0); }
#endif
