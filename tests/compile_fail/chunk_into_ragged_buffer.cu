// expect: tma: a tma::RaggedBuffer is for copies of run-time length; a chunk goes into a tma::Buffer of its size
#include <tma/tma.hpp>

struct Shared {
#ifndef FIXED
  tma::RaggedBuffer<float, 64> buffer;
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
