// expect: function "tma::RaggedBuffer<T, Count>::RaggedBuffer(const tma::RaggedBuffer
// expect: cannot be referenced -- it is a deleted function
#include <tma/tma.hpp>

using Buffer = tma::RaggedBuffer<float, 63>;

__global__ void kernel(float* out) {
#ifndef FIXED
  auto buffer = tma::shared<Buffer>();
#else
  auto& buffer = tma::shared<Buffer>();
#endif
  *out = *static_cast<float*>(buffer.storage());
}
