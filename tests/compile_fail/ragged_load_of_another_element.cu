// expect: tma::BulkCopy1D: source and destination have the same element type
#include <tma/tma.hpp>

struct Shared {
#ifndef FIXED
  tma::RaggedBuffer<int, 64> buffer;
#else
  tma::RaggedBuffer<float, 64> buffer;
#endif
  tma::LoadBarrier barrier;
};

__global__ void kernel(const float* in, int count) {
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  tma::BulkCopy1D().load(block, buffer, in, count, arrived);
}
