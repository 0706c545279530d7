// expect: tma::BulkCopy1D: nothing promises that this plain pointer is a multiple of 16
// expect: tma::AlignedPointer from tma::aligned(pointer), which looks
#include <tma/tma.hpp>

struct Shared {
  tma::Buffer<float, 64> buffer;
  tma::LoadBarrier       barrier;
};

#ifndef FIXED
__global__ void kernel(const float* in) {
#else
__global__ void kernel(tma::AlignedPointer<const float> in) {
#endif
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  if (auto issuer = block.elect()) tma::BulkCopy1D<64>().load(issuer, buffer, in, arrived);
}
