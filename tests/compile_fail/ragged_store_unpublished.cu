// expect: tma: the span is not published: the engine may read stale shared memory. Write auto ready = block.publish(span)
#include <tma/tma.hpp>

struct Shared {
  tma::RaggedBuffer<float, 64> buffer;
  tma::LoadBarrier             barrier;
};

__global__ void kernel(const float* in, float* out, int count) {
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  tma::BulkCopy1D copy;
  auto            data = copy.load(block, buffer, in, count, arrived);
  arrived.wait();
#ifndef FIXED
  copy.store(block, out, data);
#else
  copy.store(block, out, block.publish(data));
#endif
}
