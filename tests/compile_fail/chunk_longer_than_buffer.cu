// expect: tma: the source is longer than the buffer in shared memory
#include <tma/tma.hpp>

struct Shared {
  tma::Buffer<float, 64> buffer;
  tma::LoadBarrier       barrier;
};

__global__ void kernel(tma::AlignedPointer<const float> in) {
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) issuer.load(in.chunk<128>(0), buffer, arrived);
#else
  if (auto issuer = block.elect()) issuer.load(in.chunk<32>(0), buffer, arrived);
#endif
}
