// expect: tma: a load completes on a tma::LoadBarrier
#include <tma/tma.hpp>

struct Shared {
  tma::Buffer<float, 64> buffer;
#ifndef FIXED
  tma::Mbarrier<1> barrier;
#else
  tma::LoadBarrier barrier;
#endif
};

__global__ void kernel(tma::AlignedPointer<const float> in) {
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  if (auto issuer = block.elect()) issuer.load(in.chunk<64>(0), buffer, arrived);
}
