// expect: a_chunk_comes_from_the_function_chunk_of_an_aligned_pointer
#include <tma/tma.hpp>

#ifndef FIXED
__device__ auto first(const float* p) { return tma::AlignedChunk<const float, 64>(p); }
#else
__device__ auto first(const float* p) { return tma::assume_aligned(p).chunk<64>(0); }
#endif
