// expect: tma::BulkCopy1D<Count>: one elected thread issues it: if (auto issuer = block.elect()) copy.load(issuer, ...)
#include <tma/tma.hpp>

struct Shared {
  tma::Buffer<float, 64> buffer;
  tma::LoadBarrier       barrier;
};

__global__ void kernel(tma::AlignedPointer<const float> in) {
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
#ifndef FIXED
  tma::BulkCopy1D<64>().load(block, buffer, in, arrived);
#else
  if (auto issuer = block.elect()) tma::BulkCopy1D<64>().load(issuer, buffer, in, arrived);
#endif
}
