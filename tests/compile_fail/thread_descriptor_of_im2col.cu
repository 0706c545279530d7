// expect: tma::ThreadDescriptor: the third argument is a tma::Tile. Threads load boxes of a tensor; im2col and rows4 are the engine's
#include "thread_loads.hpp"

#include <tma/core/im2col.hpp>

using Pixels = tma::Tile<float, tma::Shape<64, 32>>;
#ifndef FIXED
int bytes() { return sizeof(tma::ThreadDescriptor<const float, 4, tma::Im2col<Pixels>>); }
#else
int bytes() { return sizeof(tma::TmaDescriptor<const float, 4, tma::Im2col<Pixels>>); }
#endif
