// expect: tma: a load completes on a tma::LoadBarrier
#include <tma/tma.hpp>

struct Shared {
  tma::RaggedBuffer<float, 64> buffer;
#ifndef FIXED
  tma::Mbarrier<1> barrier;
#else
  tma::LoadBarrier barrier;
#endif
};

__global__ void kernel(const float* in, int count) {
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  tma::BulkCopy1D().load(block, buffer, in, count, arrived);
}
