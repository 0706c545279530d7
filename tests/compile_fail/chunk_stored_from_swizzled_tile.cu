// expect: tma: a one-dimensional copy reads elements in a row; this tile is swizzled or padded. Store it through
#include <tma/tma.hpp>

#ifndef FIXED
using Tile = tma::Tile<float, tma::Shape<32, 32>, tma::Swizzle::bytes_128>;
#else
using Tile = tma::Tile<float, tma::Shape<32, 32>>;
#endif

__global__ void kernel(tma::AlignedPointer<float> out) {
  auto& tile  = tma::shared<Tile>();
  auto  block = tma::this_block();
  auto  ready = block.publish(tile);
  if (auto issuer = block.elect()) issuer.store(out.chunk<1024>(0), ready);
}
