// expect: tma::TmaDescriptor: tensor and tile have the same rank. Give the tile an extent of 1
#include <tma/tma.hpp>

#ifndef FIXED
using Tile = tma::Tile<float, tma::Shape<32, 32>>;
#else
using Tile = tma::Tile<float, tma::Shape<1, 32, 32>>;
#endif
int bytes() { return sizeof(tma::TmaDescriptor<float, 3, Tile>); }
