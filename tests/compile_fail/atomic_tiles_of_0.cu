// expect: tma::AtomicTiles: a cluster has at most 8 blocks
#include "common.hpp"
#include <tma/pipeline/atomic_tiles.hpp>

#ifndef FIXED
using Tiles = tma::AtomicTiles<0>;
#else
using Tiles = tma::AtomicTiles<2>;
#endif
unsigned bytes() { return sizeof(Tiles::Shared); }
