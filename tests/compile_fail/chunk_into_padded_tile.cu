// expect: tma: a one-dimensional copy writes elements in a row; this tile is swizzled or padded. Load it through
#include <tma/tma.hpp>

struct Shared {
#ifndef FIXED
  tma::Tile<float, tma::Shape<32, 4>, tma::Swizzle::bytes_32> tile;
#else
  tma::Tile<float, tma::Shape<32, 4>> tile;
#endif
  tma::LoadBarrier barrier;
};

__global__ void kernel(tma::AlignedPointer<const float> in) {
  auto& [tile, barrier] = tma::shared<Shared>();
  auto [block, arrived] = tma::this_block(barrier);
  if (auto issuer = block.elect()) tma::LoadBatch(issuer, arrived).load(in.chunk<128>(0), tile);
}
