// expect: tma::Tile: a row is at most as wide as the swizzle: 32, 64 or 128 bytes. Make the row narrower
#include <cuda_fp16.h>
#include <tma/tma.hpp>

#ifndef FIXED
using Tile = tma::Tile<__half, tma::Shape<8, 64>, tma::Swizzle::bytes_32>;
#else
using Tile = tma::Tile<__half, tma::Shape<8, 16>, tma::Swizzle::bytes_32>;
#endif
int bytes() { return Tile::payload_bytes; }
