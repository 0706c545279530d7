// expect: tma::Vec: a thread moves at most 16 bytes at once, and a power of two
#include <tma/tma.hpp>

struct Pixel {
  int r, g, b;
};

__global__ void kernel(int* out) {
#ifndef FIXED
  auto& buffer = tma::shared<tma::Buffer<Pixel, 4>>();
  *out         = buffer.vector<1>(0)[0].r;
#else
  auto& buffer = tma::shared<tma::Buffer<int, 12>>();
  *out         = buffer.vector<1>(0)[0];
#endif
}
