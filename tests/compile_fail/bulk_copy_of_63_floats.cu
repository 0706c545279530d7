// expect: tma::AlignedChunk: a bulk copy moves a multiple of 16 bytes; the hardware would silently drop the rest
// expect: or use a tma::BulkCopy1D of run-time length
#include <tma/tma.hpp>

// The buffer is long enough for either.
struct Shared {
  tma::Buffer<float, 64> buffer;
  tma::LoadBarrier       barrier;
};

__global__ void kernel(tma::AlignedPointer<const float> in) {
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
#ifndef FIXED
  tma::BulkCopy1D<63> copy;
#else
  tma::BulkCopy1D<64> copy;
#endif
  if (auto issuer = block.elect()) copy.load(issuer, buffer, in, arrived);
}
