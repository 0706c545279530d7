// expect: tma::BulkCopy1D: a pointer of unknown alignment needs 16 bytes of slack in shared memory: use a tma::RaggedBuffer
#include <tma/tma.hpp>

struct Shared {
#ifndef FIXED
  tma::Buffer<float, 64> buffer;
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
