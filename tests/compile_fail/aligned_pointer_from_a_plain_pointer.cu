// expect: an_aligned_pointer_comes_from_tma_aligned_or_tma_assume_aligned
#include <tma/tma.hpp>

#ifndef FIXED
tma::AlignedPointer<float> promise(float* p) { return tma::AlignedPointer<float>(p); }
#else
tma::AlignedPointer<float> promise(float* p) { return tma::aligned(p); }
#endif
