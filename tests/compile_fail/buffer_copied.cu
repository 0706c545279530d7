// expect: a_buffer_is_a_place_in_shared_memory__take_it_by_reference
#include <tma/tma.hpp>

using Buffer = tma::Buffer<float, 64>;

__global__ void kernel(float* out) {
#ifndef FIXED
  auto buffer = tma::shared<Buffer>();
#else
  auto& buffer = tma::shared<Buffer>();
#endif
  *out = buffer[0];
}
