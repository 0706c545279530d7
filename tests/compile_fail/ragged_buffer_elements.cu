// expect: tma::RaggedBuffer: where element 0 lies is known after the load only. Use what the load returns
#include <tma/tma.hpp>

__global__ void kernel(const float* in, int count) {
  struct Shared {
    tma::RaggedBuffer<float, 256> buffer;
    tma::LoadBarrier              barrier;
  };
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  auto data               = tma::BulkCopy1D().load(block, buffer, in, count, arrived);
  arrived.wait();
#ifndef FIXED
  for (auto& x : block.elements(buffer)) x *= 2;
#else
  for (auto& x : block.elements(data)) x *= 2;
#endif
}
