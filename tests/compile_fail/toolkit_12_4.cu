// expect: tma needs CUDA toolkit 12.8 or newer: the shared::cta form of the copies came with PTX ISA 8.6
// errors: 1
#ifndef FIXED
#  undef __CUDACC_VER_MAJOR__
#  undef __CUDACC_VER_MINOR__
#  define __CUDACC_VER_MAJOR__ 12
#  define __CUDACC_VER_MINOR__ 4
#endif
#include <tma/tma.hpp>

int bytes() { return tma::Tile<float, tma::Shape<32, 32>>::payload_bytes; }
