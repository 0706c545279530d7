// expect: tma: this count or index must be a 32-bit number; a 64-bit one (size_t, long) would be cut
#include <tma/tma.hpp>

struct Shared {
  tma::RaggedBuffer<float, 1024> buffer;
  tma::LoadBarrier               barrier;
};

__global__ void kernel(const float* in, unsigned long count, float* out) {
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
#ifndef FIXED
  auto data = tma::BulkCopy1D().load(block, buffer, in, count, arrived);
#else
  auto data = tma::BulkCopy1D().load(block, buffer, in, int(count), arrived);
#endif
  arrived.wait();
  for (auto& x : block.elements(data)) out[&x - data.begin()] = x;
}
