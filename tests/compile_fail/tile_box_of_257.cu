// expect: tma::Tile: a box is at most 256 elements in each dimension. Split the tile
#include <tma/tma.hpp>

// 257 pixels would be an im2col tile; as a box of the tensor itself the descriptor refuses them.
#ifndef FIXED
using Tile = tma::Tile<float, tma::Shape<257, 32>>;
#else
using Tile = tma::Tile<float, tma::Shape<256, 32>>;
#endif
int bytes() { return int(sizeof(tma::TmaDescriptor<const float, 2, Tile>)); }
