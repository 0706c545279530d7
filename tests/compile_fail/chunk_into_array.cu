// expect: tma: a one-dimensional copy goes into a tma::Buffer, or a tma::Tile without swizzle, in shared memory
#include <tma/tma.hpp>

struct Shared {
#ifndef FIXED
  float buffer[64];
#else
  tma::Buffer<float, 64> buffer;
#endif
  tma::LoadBarrier barrier;
};

__global__ void kernel(tma::AlignedPointer<const float> in) {
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in.chunk<64>(0), buffer, arrived);
}
