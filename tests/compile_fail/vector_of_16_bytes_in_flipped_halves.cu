// expect: tma::Tile: this swizzle flips the halves of a 16-byte chunk; vectors of 8 bytes stay whole
#include <tma/tma.hpp>

using Tile = tma::Tile<float, tma::Shape<8, 32>, tma::Swizzle::bytes_128_atom_32_flip_8>;

__global__ void kernel(float* out) {
  const Tile& tile = tma::shared<Tile>();
#ifndef FIXED
  *out = tile.vector<4>(1)[0];
#else
  *out = tile.vector<2>(2)[0];
#endif
}
