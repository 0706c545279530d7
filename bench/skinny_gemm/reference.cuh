// What is right: the product in plain arithmetic, a comparison, and inputs.
#pragma once

#include "shapes.hpp"

namespace skinny {

// Numbers in [-1, 1) that depend on the seed alone.
__global__ void fill(Element* data, std::size_t n, unsigned long long seed) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n; i += std::size_t(gridDim.x) * blockDim.x) {
    unsigned long long z = (i + 1) * 0x9e3779b97f4a7c15ull + seed;
    z                    = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z                    = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    data[i]              = __float2bfloat16(float(z >> 40) * (2.f / (1 << 24)) - 1.f);
  }
}

// 32 rows of w by up to 128 rows of x a block; a thread has 16 of the products.
__global__ void __launch_bounds__(256) reference(const Element* x, const Element* w, float* y, int m, int n, int k) {
  __shared__ float ws[32][33], xs[128][33];
  const int        column = int(threadIdx.x) % 32, first = int(threadIdx.x) / 32, at = int(blockIdx.x) * 32;
  float            sum[16] = {};
  for (int begin = 0; begin < k; begin += 32) {
    const auto value = [&](const Element* from, int row, int rows) {
      return row < rows && begin + column < k ? __bfloat162float(from[std::size_t(row) * std::size_t(k) + begin + column])
                                              : 0.f;
    };
    for (int r = first; r < 32; r += 8) ws[r][column] = value(w, at + r, n);
    for (int r = first; r < 128; r += 8) xs[r][column] = value(x, r, m);
    __syncthreads();
#pragma unroll 4
    for (int i = 0; i < 32; ++i)
#pragma unroll
      for (int r = 0; r < 16; ++r) sum[r] = fmaf(ws[column][i], xs[first + 8 * r][i], sum[r]);
    __syncthreads();
  }
  for (int r = 0; r < 16; ++r)
    if (first + 8 * r < m && at + column < n) y[std::size_t(first + 8 * r) * std::size_t(n) + at + column] = sum[r];
}

// How many of n elements differ from what they should be by more than a rounding to bf16.
__global__ void compare(const Element* y, const float* expected, std::size_t n, unsigned* wrong) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < n; i += std::size_t(gridDim.x) * blockDim.x)
    if (!(fabsf(__bfloat162float(y[i]) - expected[i]) <= 0.004f * fabsf(expected[i]) + 0.01f)) atomicAdd(wrong, 1u);
}

}  // namespace skinny
