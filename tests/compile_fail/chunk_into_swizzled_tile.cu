// expect: tma: a one-dimensional copy writes elements in a row; this tile is swizzled or padded. Load it through
#include <tma/tma.hpp>

struct Shared {
#ifndef FIXED
  tma::Tile<float, tma::Shape<32, 32>, tma::Swizzle::bytes_128> tile;
#else
  tma::Tile<float, tma::Shape<32, 32>> tile;
#endif
  tma::LoadBarrier barrier;
};

__global__ void kernel(tma::AlignedPointer<const float> in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in.chunk<1024>(0), tile, arrived);
}
