// expect: tma::TmaDescriptor: packed elements come in tiles that are known when compiling: name the tile
#include <tma/tma.hpp>

#ifndef FIXED
using Map = tma::TmaDescriptor<const tma::u4x16, 2>;
#else
using Map = tma::TmaDescriptor<const tma::u4x16, 2, tma::Tile<tma::u4x16, tma::Shape<16, 16>>>;
#endif
int bytes() { return int(sizeof(Map)); }
