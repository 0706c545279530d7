// expect: tma: source and destination have the same element type
#include <tma/tma.hpp>

struct Shared {
  tma::Buffer<float, 64> buffer;
  tma::LoadBarrier       barrier;
};

#ifndef FIXED
__global__ void kernel(tma::AlignedPointer<const int> in) {
#else
__global__ void kernel(tma::AlignedPointer<const float> in) {
#endif
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in.chunk<64>(0), buffer, arrived);
}
