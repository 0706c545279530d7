// expect: tma::BulkCopy1D: a copy of run-time length is made by all threads of a group: copy.load(block, buffer, pointer
#include <tma/tma.hpp>

struct Shared {
  tma::RaggedBuffer<float, 64> buffer;
  tma::LoadBarrier             barrier;
};

__global__ void kernel(const float* in, int count) {
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
#ifndef FIXED
  if (auto issuer = block.elect()) tma::BulkCopy1D().load(issuer, buffer, in, count, arrived);
#else
  tma::BulkCopy1D().load(block, buffer, in, count, arrived);
#endif
}
