// expect: tma::RaggedBuffer: where element 0 lies is known after the load only. Use what the load returns
#include <tma/tma.hpp>

__global__ void kernel(const float* in, float* out, int count) {
  struct Shared {
    tma::RaggedBuffer<float, 256> buffer;
    tma::LoadBarrier              barrier;
  };
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  auto data               = tma::BulkCopy1D().load(block, buffer, in, count, arrived);
  arrived.wait();
#ifndef FIXED
  *out = buffer[0];
#else
  *out = data[0];
#endif
}
