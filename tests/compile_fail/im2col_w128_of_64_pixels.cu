// expect: tma::Im2colW128: the tile has rank 2 and 128 pixels, which is what a copy of this kind brings
#include <tma/core/descriptor.hpp>
#include <tma/core/im2col.hpp>

#ifndef FIXED
using Column = tma::Tile<float, tma::Shape<64, 16>, tma::Swizzle::bytes_64>;
#else
using Column = tma::Tile<float, tma::Shape<128, 16>, tma::Swizzle::bytes_64>;
#endif
int bytes() { return int(sizeof(tma::TmaDescriptor<const float, 4, tma::Im2colW128<Column>>)); }
