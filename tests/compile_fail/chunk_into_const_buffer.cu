// expect: tma: a load writes the buffer: it cannot be const
#include <tma/tma.hpp>

struct Shared {
  tma::Buffer<float, 64> buffer;
  tma::LoadBarrier       barrier;
};

__global__ void kernel(tma::AlignedPointer<const float> in) {
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
#ifndef FIXED
  const auto& place = buffer;
#else
  auto& place = buffer;
#endif
  if (auto issuer = block.elect()) issuer.load(in.chunk<64>(0), place, arrived);
}
