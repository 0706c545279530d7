// expect: tma::as_loaded: the result refers to its argument, which must be a variable: this is a temporary
#include <tma/tma.hpp>

struct Shared {
  tma::RaggedBuffer<float, 64> buffer;
  tma::LoadBarrier             barrier;
};

__global__ void kernel(const float* in, float* out, int count) {
  auto& [buffer, barrier] = tma::shared<Shared>();
  auto [block, arrived]   = tma::this_block(barrier);
  tma::BulkCopy1D copy;
#ifndef FIXED
  auto ready = tma::as_loaded(copy.load(block, buffer, in, count, arrived));
#else
  auto span  = copy.load(block, buffer, in, count, arrived);
  auto ready = tma::as_loaded(span);
#endif
  arrived.wait();
  copy.store(block, out, ready);
}
