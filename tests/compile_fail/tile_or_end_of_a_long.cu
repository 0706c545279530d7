// expect: tma: this count or index must be a 32-bit number; a 64-bit one (size_t, long) would be cut
#include <tma/core/tile_or_end.hpp>

tma::TileOrEnd tile(long index) {
#ifndef FIXED
  return tma::TileOrEnd(index);
#else
  return tma::TileOrEnd(int(index));
#endif
}
